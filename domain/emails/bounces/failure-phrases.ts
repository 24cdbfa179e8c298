/** What the words of a reply speak of. */
export type Topic =
  | 'suppressed'
  | 'restricted'
  | 'greylisted'
  | 'rate'
  | 'filtered'
  | 'sender'
  | 'account'
  | 'host'
  | 'content'
  | 'mailbox'
  | 'unsure'
  | 'closed'
  | 'dead'
  | 'policy'
  | 'blocked'
  | 'unavailable'
  | 'network';

/** One of these, as a group. */
const any = (...words: readonly string[]): string => `(?:${words.join('|')})`;
/** Words between two words that belong together: within one clause. */
const GAP = String.raw`[^.;:()]{0,40}`;

/** Names for whoever or whatever receives mail. */
const WHO = String.raw`(?:user|recipient|mailbox|mail box|account|address|addressee|person|customer|subscriber|alias|inbox|username)s?`;

/** The same in other languages: German, French, Spanish and Portuguese, Italian, Dutch, Polish, Russian, Turkish, Japanese, Chinese. */
const WHO_ELSEWHERE = any(
  String.raw`\b(?:empfa?e?nger|benutzer|nutzer|(?:e-?mail-?|mail-?|empfanger-?|empfaenger-?)?adresse|postfach|teilnehmer|konto|mailkonto)\b`,
  String.raw`\b(?:utilisateur|destinataire|adresse|boite|compte|bal|abonne)\b`,
  String.raw`\b(?:usuario|destinatario|buzon|cuenta|direccion|casilla|correo|endereco|caixa|conta)\b`,
  String.raw`\b(?:utente|destinatario|casella|indirizzo)\b`,
  String.raw`\b(?:gebruiker|ontvanger|postvak|(?:e-?mail-?)?adres)\b`,
  String.raw`\b(?:odbiorc[ay]|uzytkownika?|adres|konto|skrzynk[ai])\b`,
  'пользовател|адрес|ящик|получател|абонент|аккаунт|учетн|учётн',
  'kullan[iı]c[iı]|al[iı]c[iı]|posta kutusu|hesap|hesab',
  'ユーザ|宛先|受信者|アドレス|メールボックス|アカウント',
  '用户|收件人|邮箱|账号|帐号|账户|地址',
);

/** Names for the sender or its address. */
const SENDER = any(
  String.raw`(?<!\bto |\bto the )\b(?:sender|originator|author)(?:'?s)?\b|\bwriting from\b|\benvelope address\b|\breply[- ]address\b|\b(?:return|bounce)[- ]?(?:path|address)\b|\b(?:mail )?from(?= ?:)|\breply-to\b|\bfrom[- ]address\b|\bsending address\b|\bin mail from\b|\benvelope[- ](?:from|sender)\b|\byour (?:e-?mail )?(?:address|mailbox)\b`,
  String.raw`\b(?:ihre|deine|votre|su|sua|tua|tu|il (?:su|tu)o|uw|jouw|twoj|twoja|panstwa) (?:e-?mail-?)?(?:\w{0,10}adresse|adres|adress|konto|compte|cuenta|direccion|conta|endereco|indirizzo|skrzynka|postfach|postvak)\b|ваш (?:адрес|ящик)|(?:您|你)的(?:邮箱|地址|账号|帐号)|あなたの|adresiniz`,
  'absender|expediteur|emetteur|remitente|remetente|mittente|afzender|nadawc|отправител|gonder[ei]|送信者|送信元|差出人|发件人|寄件|发信人|返信先|versender|antwortadresse|verzendadres|adresse d.envoi|emisora?|indirizzo di invio|zwrotny|adresse de retour|(?:direccion|endereco|indirizzo) d[ei] r[ei]torno|для ответа|обратн[а-я]{2} адрес|iade adres',
);

/** Names for the host that sends, and for what it says of itself. */
const HOST = any(
  String.raw`\bip\b|\b(?:helo|ehlo|rdns|tls|ptr|reverse[- ](?:dns|hostname|lookup|name))\b|\bclient(?: host)?\b|\bpeer\b|\bgegenstelle\b|\bcertificate\b|\bzertifikat\b`,
  String.raw`\byour (?:host|domain|country|region|location|provider|isp|mta|mail ?server|server|network|machine)\b|\b(?:for|from) this (?:country|region|network|provider)\b|\b(?:server|host|client)'s\b|\b(?:connecting|calling|sending) (?:mail ?)?(?:server|host)\b|\b(?:su|seu|votre|tuo|twoj|ihr|uw) (?:mail-?)?(?:serve[ru]r?|serveur|servidor|serwer|host)\b|服务器|逆引き|sunucu|\bhostname of the client\b|反向解析`,
);

/** What is said of what does not exist, or not any more; behind its name. */
const GONE = any(
  String.raw`\b(?:unknown|(?:can)?not (?:be )?(?:found|known|exist|(?:a )?valid|recogni[sz]ed|listed|local|a (?:known|local)|in use|registered)|isn't here|(?:does|do|did)(?: not|n't) exist|invalid|inexistent|non-?existent|closed|deleted|removed|terminated|discontinued|no longer|cancelled|expired|moved)\b`,
  String.raw`unbekannt|ungu?e?ltig|nicht (?:mehr )?(?:gultig|gueltig|bekannt|vorhanden|gefunden|aktiv|erreichbar)|existiert nicht|nicht existiert|gibt es nicht|gelo?e?scht|erloschen`,
  String.raw`inconnue?|inexistante?|invalide|introuvable|n'existe (?:pas|plus)|n'est (?:pas|plus) (?:valide|acti(?:f|ve)|connue?|attribuee?)|supprimee?|fermee?|resiliee?`,
  String.raw`no existe|inexistente|desconocid[oa]|cancelad[oa]|no (?:ha sido |fue )?encontrad[oa]|no (?:es |esta )?(?:valid[oa]|activ[oa])|invalid[oa]|eliminad[oa]|dad[oa] de baja`,
  String.raw`nao (?:existe|encontrad[oa]|e (?:mais )?valid[oa])|desconhecid[oa]|excluid[oa]|removid[oa]`,
  String.raw`sconosciut[oa]|inesistente|non (?:esiste|trovat[oa]|(?:e )?(?:piu )?(?:valid[oa]|attiv[oa]))|cancellat[oa]`,
  String.raw`onbekend|bestaat niet|niet gevonden|ongeldig|niet (?:meer )?(?:geldig|actief|in gebruik)|opgeheven`,
  String.raw`nie istnieje|nieznan[ya]|nie znaleziono|nie zosta[lł] znaleziony|nieprawid[lł]ow[ya]|usuniet[yae]`,
  'не найден|не существует|неизвест[а-я]{0,4}|удал[её]н|недействител|больше не |\\bнет\\b|(?<= )нет(?![а-я])',
  'bulunamad[iı]|(?<= )yok|mevcut degil|gecersiz|bilinmiyor|tan[iı]nm[iı]yor|silinmis',
  '存在しま|存在しない|見つかりま|見つからない|不明|無効|いません|不存在|未找到|找不到|无效|已停用|已注销',
);
/** The same in front of its name. */
const NO = any(
  String.raw`\b(?:unknown|invalid|no such|nonexistent|non-existent|not a (?:valid|local|known)|no valid|unrecogni[sz]ed|undeliverable|unresolvable)`,
  String.raw`\b(?:unbekannte[rsn]?|ungultige[rsn]?|ungueltige[rsn]?|keine?(?: solche[rsn]?| gultige[rsn]?)?)`,
  String.raw`\b(?:aucune?(?: tele?l?e?)?|pas d'|pas de|no (?:existe|se encuentra)(?: el| la| ese| este| esta| ningun)?|ningun|nao existe (?:o|a|esse|este)|nessuna?|non esiste (?:il|la|l')|onbekende?|geen|nieznan[ya]|nie znaleziono|brak|nie ma (?:takiego|takiej))`,
  'неизвестн[а-я]{2}|нет такого|такого|gecersiz|bilinmeyen|boyle bir|そのような|該当する',
);
/** What is said of a sender or a host that is not liked. */
const REFUSED = any(
  String.raw`\b(?:rejected?|rejecting|unavailable|not available|inactive|disabled|denied|refused?|blocked|banned|listed|missing|required|needed|failed|fails|mismatch|(?:not|never) (?:allowed|permitted|accepted|resolved?|resolvable|verified|authenticated)|verif(?:y|ied|ication)|not owned|has no|cannot (?:find|(?:be )?resolved?)|does not match|not deliverable|undeliverable|not have)\b`,
  String.raw`abgelehnt|gesperrt|blockiert|zuruckgewiesen|nicht (?:erlaubt|zugelassen)|refusee?|rejetee?|bloqu(?:e|ee|ead[oa])|rechazad[oa]|rejeitad[oa]|rifiutat[oa]|bloccat[oa]|geweigerd|geblokkeerd|odrzucon[ya]|zablokowan[ya]|отклон|заблокир|reddedildi|engellen|拒否|拒绝|被拒|阻止`,
);

/**
 * Phrases per topic, in the form that `plainWords` gives texts: lower case, Latin letters without accents, no
 * addresses, hosts or codes. The first topic that fits counts, so what says whom a reply speaks of (the recipient's
 * own rule, the sender, its host) comes before words that could be about anyone (`unknown`). Each repetition is
 * bounded, so that a match takes time in proportion to the text.
 */
const SOURCES: readonly [Topic, readonly string[]][] = [
  // A provider did not send, because the address had bounced before.
  [
    'suppressed',
    ['suppression list', String.raw`previously bounced`, String.raw`bounced (?:address|lately)`, 'history of bouncing'],
  ],
  // The recipient gets too much mail, whoever sends it.
  [
    'rate',
    ['recipratee', String.raw`${WHO}.{0,40}\b(?:gets|receiv\w{1,8})\b.{0,40}\b(?:rate|too (?:many|much|quickly))`],
  ],
  // Only this recipient refuses: a rule of its own, or of its group or organization.
  [
    'restricted',
    [
      String.raw`\bresolver\.rst\.|\btransport\.rules\.`,
      String.raw`\brecipient address rejected: access denied`,
      String.raw`\bmembers?[ -]only\b|\bonly (?:members|subscribers|authenticated (?:people|users|senders))\b|\b(?:members|subscribers) only\b|\b(?:post|send)(?:ing)? (?:messages )?to (?:this|the) (?:group|list|mailing list|distribution list)\b`,
      String.raw`\b(?:only|just) accepts (?:internal|mail from|messages from)|\brestricted who\b|\b(?:user|recipient|mailbox|group|list)\b${GAP}\bonly (?:accepts|takes|receives|wants)\b|\b(?:recipient|user)\b (?:refuses|blocks) (?:(?:e-?)?mails?|messages)\b|\bpermission to (?:write|send|post)\b|\binternal (?:senders?|use|mail) only\b`,
      String.raw`\b(?:recipient|user|mailbox|group)\b${GAP}\b(?:does not|doesn't|do not|will not|won't) (?:accept|want|wish|take|allow)\b${GAP}\b(?:this|your|these|the|external|outside|unknown) (?:senders?|address|domain)`,
      String.raw`\b(?:recipient|user|addressee)\b${GAP}\b(?:has |have )?(?:blocked|rejected) (?:you|your (?:address|mail|messages)|this sender)\b|\brecipient's (?:own )?(?:rule|block list|settings|preferences)\b`,
      String.raw`\b(?:empfanger|empfaenger)\b${GAP}\bnimmt\b${GAP}\bnicht|\bempfa?e?nger\b${GAP}\b(?:keine|hat|blockiert|sperrt)\b${GAP}\babsender`,
      String.raw`\b(?:recipient|user|addressee)\b${GAP}\b(?:does not|doesn't|do not|will not|won't) (?:accept|want|wish|take|allow|like)\b${GAP}\b(?:newsletters?|advertis\w{1,8}|ads|commercial|marketing|promotions?|promotional|bulk)\b|\b(?:recipient|user|mailbox|group|list)\b${GAP}\b(?:accepts|takes|receives) (?:mails?|e-?mails?|messages|posts) (?:from|of)\b${GAP}\b(?:only|alone)\b|\b(?:recipient|user)\b (?:has set|has|uses) an? (?:\w{1,15} )?filter\b`,
      String.raw`\b(?:empfa?e?nger|nutzer|benutzer)\b${GAP}\b(?:lehnt|weist)\b${GAP}\b(?:ab|zuruck)\b|\b(?:empfa?e?nger|nutzer|benutzer)\b (?:wunscht|mochte|will) keine\b|\bdestinataire (?:refuse|ne (?:souhaite|veut) pas)\b|\bdestinatario no (?:admite|desea|quiere)\b|\bdestinatario (?:rifiuta|rechaza|recusa|nao deseja|non (?:desidera|vuole))\b`,
      String.raw`\bdestinataire\b${GAP}\bn'accepte (?:pas|plus)\b|\bdestinatario\b${GAP}\bn[ao]o? (?:acepta|aceita|accetta)\b|\bdestinatario\b${GAP}\bnon accetta\b|\bontvanger\b${GAP}\baccepteert geen\b`,
    ],
  ],
  ['greylisted', ['gr[ae]y-?list']],
  // A filter or a list names its reason: that is stronger than a word about the recipient.
  [
    'filtered',
    [
      String.raw`\b(?:spf|dkim|dmarc|dnsbl|rbl|rhsbl)\b|sender policy framework`,
      String.raw`\b(?:black|block|deny|reputation)[ -]?(?:list|liste|listed|listing)s?\b|(?<!not )\blisted (?:at|by|on)\b|\blisted ip\b|\b(?:lista negra|liste noire|sperrliste|lista nera|lista de bloqueo)\b`,
      String.raw`\b(?:as|is|likely|suspected|suspicion of|considered|detected|identified|classified|contains?|for|wegen|considere|comme|por|como|come|jako) (?:being )?(?:(?:unsolicited|bulk|possible|likely) )?(?:spam|junk|bulk mail|unsolicited)\b`,
      String.raw`\b(?:message|mail) (?:looks|seems) (?:like|machine)\b|\bspam (?:detected|message|content|score|verdacht|mail|filter)|\b(?:bulk|unsolicited) (?:e-?mails?|senders?)\b|\b(?:uce|ube|phishing)\b|\bspamverdachts?\b|dt:spm|\bpolicy (?:restrictions|reasons|violation)`,
      'スパム|迷惑メール|ブラックリスト|垃圾邮件|黑名单|спам|черн[а-я]{2} списк',
    ],
  ],
  [
    'sender',
    [
      `${SENDER}${GAP}${any(GONE, REFUSED)}|${NO}(?: \\w{1,15}){0,2} ?${SENDER}|${any(REFUSED)} ${SENDER}`,
      String.raw`\bnot (?:yet )?verified\b|\bverified (?:sender|domain)|\bsender identity\b|\bunconfigured sending domain\b|\bcall ?back\b`,
      String.raw`\b(?:violation|syntax|invalid|missing|malformed|bad|broken)\b${GAP}\bfrom[- ](?:header|field|line)\b|\bfrom[- ](?:header|field|line)\b${GAP}\b(?:violat\w{1,4}|invalid|missing|malformed|not valid|broken)\b`,
      String.raw`\bfrom address\b.{0,40}\bnot\b|\bbad (?:outbound )?sender|\bsend ?as(?:denied\w{0,40})?\b|\bnot (?:have permissions? )?(?:allowed |permitted |authori[sz]ed )?to send as\b|\b(?:null|empty) sender`,
    ],
  ],
  [
    'account',
    [
      String.raw`\brelay(?:ing)?\b.{0,30}\b(?:denied|refused|prohibited|not (?:permitted|allowed))`,
      String.raw`\b(?:unable|not allowed|not permitted|refuse|denied) to relay|\b(?:do|does|will) not relay|rcpthosts`,
      String.raw`\b(?:sending|daily|hourly|monthly|24-hour|outgoing|outbound|submission|package|message rate)\b.{0,20}\b(?:limit|quota|allowance)|\blimite d'envoi|\bversandlimit|\blimite de (?:envio|envios)|\blimite di invio|\bcredits? (?:exceeded|exhausted|used)`,
      String.raw`\b(?:e-?mails?|messages|recipients) (?:per|an|a|for this) (?:hour|day|month|minute)\b`,
      String.raw`\byou(?:'ve| have) (?:reached|exceeded|used)\b`,
      String.raw`\b(?:sending|outgoing mail|outbound mail)\b.{0,25}\b(?:paused|suspended|disabled|switched off|blocked)`,
      String.raw`\byour (?:\w{1,20} )?(?:account|tenant|plan|subscription|package)\b|\b(?:dein|ihr|votre|su|tu|il tuo|uw|twoje) (?:konto|account|compte|cuenta|conto)\b`,
      String.raw`\b(?:trial|sandbox|unpaid|non-?payment|billing|invoices?)\b`,
      String.raw`\bauthentication (?:is )?required|\bnot (?:been )?authenticated\b|\busername and password|\bcredentials\b|\bmust (?:first )?log ?in\b|\blog ?in first|\bfor this log-?in\b|\bsmtp auth\b|\bsasl\b|\bsub-?account\b|\bsending contract\b|\b(?:for|to) relay\b|\bsmtp (?:user|account)\b|\blog-?in\b${GAP}\b(?:failed|unknown|invalid|incorrect)|\bapi key\b|\b(?:in|for|from) (?:this |the |your )?account\b|\bsending (?:privileges|domain not found)\b|\bno more messages\b`,
      // A used-up quota of ours.
      String.raw`\b(?:not enough|insufficient|no|no more|out of|too few) (?:\w{1,15} )?credits?\b|\bcredits? (?:left|limit|balance)\b|\bsubscription (?:has |is )?(?:lapsed|ended|expired|overdue)\b|\bblocked from sending\b|\bbalance (?:is |was )?(?:too low|exhausted|used up|empty|insufficient)\b|\btop[- ]up\b|\b(?:user|message|mail|e-?mail|recipients?|plan|tariff) (?:limit|allowance)\b.{0,30}\b(?:exceeded|reached|used up|exhausted|today)\b|\blimit for today\b|\btoday's (?:\w{1,15} )?limit\b|\bmax(?:imum)?\b.{0,30}\b(?:recipients|messages|e-?mails|mails)\b.{0,20}\b(?:reached|exceeded|today|day|hour|month)\b|\bquota (?:for|of) (?:your|the sending|this sending)\b|\b(?:plan|tariff)\b.{0,30}\b(?:used up|exhausted|exceeded|expired)\b|\byou(?:'re| are| have been)? (?:sending|send|sent)\b.{0,30}\b(?:fast|quickly|many|much|often)\b`,
      String.raw`\b(?:tages|stunden|monats|versand|sende|empfa?e?nger|mail|nachrichten)-?(?:limit|kontingent|volumen|grenze)\b|\bkontingent\b|\btarif\b|\bguthaben\b|\b(?:max\w{0,6}|hochst\w{0,5})\b.{0,30}\b(?:empfa?e?nger|nachrichten|e-?mails)\b.{0,30}\b(?:erreicht|uberschritten|tag)\b`,
      String.raw`\bforfait\b|\bcredits? (?:d'envois? )?(?:epuises?|insuffisants?)\b|\bplus (?:assez )?de credits?\b|\b(?:quota|limite|plafond|maximum|nombre)\b.{0,30}\b(?:d'envois?|quotidien(?:ne)?|journali(?:er|ere)|mensuel(?:le)?|horaire|destinataires|de messages|par (?:jour|heure))\b`,
      String.raw`\b(?:creditos?|saldo) (?:insuficientes?|agotados?|esgotados?)\b|\bsin (?:creditos?|saldo)\b|\bno (?:hay|tiene) (?:suficientes? )?(?:creditos?|saldo)\b|\b(?:limite|cuota|cupo|maximo)\b.{0,20}\b(?:diari[oa]|mensual|mensal|por (?:dia|hora)|de (?:envios?|mensajes|destinatarios|correos|mensagens))\b|\bcredito (?:insufficiente|esaurito)\b|\blimite (?:giornaliero|mensile|orario)\b|\b(?:dagelijkse|dag|verzend)-?limiet\b|\bdzienny limit\b`,
      // A customer of the relay, which is the sender.
      String.raw`\b(?:relay|relaying|smarthost|gateway|customer|client|reseller) (?:user|account|customer)s?\b|\b(?:customer|user|account)s? of (?:this|the|our) (?:relay|gateway|smarthost)\b|\baccount\b.{0,20}\b(?:(?:under|pending) review|on hold|overdue|past due|not (?:yet )?(?:activated|approved|confirmed))\b|\bfor outgoing (?:e-?)?mails?\b|\bkundenkonto\b|\bcompte client\b|\bcuenta de cliente\b`,
      String.raw`\baccount (?:is |was |has been )?locked\b|\bnot (?:allowed|permitted|authori[sz]ed) to send\b`,
    ],
  ],
  [
    'host',
    [
      `${HOST}${GAP}${any(GONE, REFUSED)}|${any(NO, REFUSED)}(?: [\\w-]{1,15}){0,2} ?${HOST}`,
      String.raw`\bno (?:reverse|ptr|rdns)\b|\b(?:from|by) your (?:ip|host|country|region|provider|isp|mta|server|network)\b|\b(?:for|from) this (?:country|region|network|provider)\b|\b(?:connecting|calling|sending) network\b|\btls (?:version|protocol|cipher)\b|\byour (?:isp|provider|mta|host|network|server) is not\b`,
    ],
  ],
  [
    'content',
    [
      String.raw`\b(?:message|mail|e-?mail)\b.{0,30}\b(?:size|too (?:big|large)|larger|exceeds|maximum length)|\b(?:message|mail) (?:is )?too long\b|\btoo (?:big|large)\b`,
      String.raw`\b(?:virus|malware|infected|executable|trojan)\b`,
      String.raw`\battachments?\b|\bsecurity issue\b`,
      String.raw`\b(?:malformed|bad header|missing header|invalid header|8-?bit|smtputf8|line too long|body type)\b|\bnot rfc\b.{0,20}\bcompliant\b|\bmultiple from headers\b`,
      String.raw`\b(?:nachricht|message|mensaje|messaggio|mensagem)\b.{0,20}\b(?:zu gro(?:ss|ß)|trop (?:gros|volumineux|grand)|demasiado grande|troppo grande|muito grande)`,
    ],
  ],
  [
    'mailbox',
    [
      String.raw`\b(?:over|exceed\w{0,5}|exhausted)\b.{0,30}\bquota|\bquota\b.{0,20}\b(?:exceeded|full|reached|exhausted|used up|violation)|\bover-?quota`,
      String.raw`\b(?:mailbox|mail box|inbox|mail folder|mail drop|account)\b.{0,30}\b(?:full|over its|size limit|limit reached|exceed)`,
      String.raw`\b(?:over|uber|ueber)-?(?:full|voll|flow\w{0,4}|filled)\b|\b(?:inbox|mailbox|mail box)\b.{0,30}\breached its (?:max\w{0,4}|limit|capacity)\b|\b(?:storage|space|allocation|capacity)\b.{0,30}\b(?:exhausted|used|gone|exceeded)\b|\bno (?:\w{1,12} )?(?:space|storage|room)\b|\b(?:cannot|can't|can not) (?:take|hold|store) (?:any )?more\b|\bspeicher\w{0,12}\b.{0,40}\b(?:aufgebraucht|belegt|verbraucht)`,
      String.raw`\bfull (?:mailbox|inbox)|\b(?:out of|allowed|exceeded.{0,15}|no more|not enough|insufficient (?:disk |mailbox )?)(?: ?storage| ?space)\b`,
      String.raw`\btemporar(?:y|ily) (?:disabled|suspended|unavailable|locked|inactive|blocked|out)`,
      String.raw`\b${WHO}\b.{0,20}\bsuspended\b`,
      String.raw`\b(?:postfach|mailbox|konto|speicher\w{0,12})\b.{0,30}\b(?:voll|uberfullt|ueberfuellt|erschopft|uberschritten)|\bzu ?viele mails\b`,
      String.raw`\b(?:boite|bal|messagerie|espace|quota)\b.{0,40}\b(?:pleine?|saturee?|depasse|insuffisant)`,
      String.raw`\b(?:buzon|cuenta|casilla|bandeja|casella|caixa|postvak|mailbox|skrzynka)\b.{0,40}\b(?:llen[oa]|pien[oa]|chei[oa]|vol|pe[lł]na|przepe[lł]niona|excedid[oa]|superad[oa]|a tope|sin espacio)`,
      '(?:メールボックス|受信箱|受信トレイ|容量).{0,20}(?:一杯|いっぱい|満杯|超過|超え)|邮箱.{0,4}已?满|空间不足|переполнен|kutusu dolu|kota a[sş]',
    ],
  ],
  // A state that passes, or a look-up that failed: what else is said of the recipient is not for ever.
  [
    'unsure',
    [
      String.raw`\bservfail\b|\bsoft (?:error|failure)\b|\b(?:dns|name ?servers?)\b${GAP}\b(?:fail\w{0,5}|errors?|timed? ?out|did not (?:answer|respond)|not (?:answer|respond)\w{0,3}|unreachable)\b|\b(?:being|while it is|is getting|to be) (?:migrated|moved|restored|rebuilt|upgraded|created|repaired|maintained|transferred|synchroni[sz]ed)\b|\bmigrat(?:ion|ing)\b|\b(?:mailbox|mail box|mail store)\b.{0,20}\blocked\b|\bcome back\b|\b(?:service|system|database|directory|server|store|storage)\b${GAP}\b(?:is down|(?:cannot|could not) be (?:opened|read|reached)|not reachable|impossible|out of (?:order|service))\b|\bcurrently (?:impossible|not possible|unavailable|disabled|locked)\b`,
      String.raw`\btoo many connections\b|\b(?:busy|overloaded|database|offline|rebuilt|being moved|moving)\b|\bin (?:an|a few|\d{1,3}) (?:hours?|minutes?)\b|\b(?:internal|server|system) error\b|\btry (?:again|later)\b|\bretry later\b|\btomorrow\b|\bmaintenance\b|\btemporar(?:y|ily)\b|\bat (?:this|the) (?:time|moment)\b|\bcurrently unable\b|\b(?:look-?up|ldap|directory|backend)\b${GAP}\b(?:fail\w{1,4}|not (?:available|answer)|error|timed? ?out)|\bunable to verify\b|\bread[- ]only\b|\bcould not (?:be verified|verify)\b`,
      String.raw`\b(?:derzeit|momentan|spa?e?ter (?:noch ?mals? |erneut |wieder )?(?:versuchen|probieren)|gerade|wartung\w{0,8}|gewartet|en ce moment|actuellement|actualmente|attualmente|vorubergehend|spater (?:erneut|noch ?mal)|temporairement|reessayer|plus tard|temporalmente|mas tarde|temporaneamente|piu tardi|temporariamente|mais tarde|tijdelijk|later opnieuw|tymczasowo|pozniej)\b`,
      'временно|позже|gecici olarak|daha sonra|一時的|後ほど|しばらく|暂时|稍后',
    ],
  ],
  // An account without a word of whose it is: a relay says the same of its customer, the sender.
  [
    'closed',
    [
      String.raw`(?<!\b(?:user|mail|email|e-mail|mailbox) )\baccount\b(?! (?:that )?you tried)${GAP}\b(?:unavailable|not available|disabled|deactivated|inactive|expired)\b(?! or discontinued)|\b(?:inactive|disabled|deactivated|expired) account\b`,
      String.raw`\b(?:konto|compte|cuenta|conta|conto)\b${GAP}\b(?:deaktiviert|desactivee?|desactivad[oa]|deshabilitad[oa]|disattivat[oa]|expiree?|expirad[oa]|abgelaufen|scadut[oa])`,
    ],
  ],
  // Nobody but the recipient can be meant, so this counts even beside a general word of a policy.
  [
    'dead',
    [
      String.raw`\b(?:unknown|invalid|no such|nonexistent|non-existent|not a valid|no valid|unrecogni[sz]ed|undeliverable) (?:\w{1,20} )?(?:local )?${WHO}\b`,
      String.raw`\b(?:${WHO}|mailuser)\b${GAP}${GONE}|\b${WHO}: ?(?:unknown|not found|invalid)\b`,
      // Only a name, such as `ada unknown`.
      String.raw`^\W{0,9}[\p{L}\d.'-]{1,64} (?:is )?(?:unknown|not known|not found)\W{0,9}$`,
      String.raw`\b(?:does not|doesn't|didn't|did not) have an?\b.{0,30}\baccount\b`,
      String.raw`\bno (?:such )?(?:mailbox|recipient|person|user)\b|\bno such (?:address|account|person|name)|\bno account by that\b|\bnobody (?:of|by|with|called) (?:that|this|the) name\b|\bnever heard of (?:this|that)\b|\bmailbox (?:is )?gone\b|\bnobody called\b|\bbad destination\b|\b(?:is )?not hosted (?:here|on this|by us)\b|\b(?:is |was )?not on (?:our|this) (?:system|server|site)\b|\bno longer with us\b|\bnot in (?:the|our) address book\b|\bn'est plus (?:chez nous|parmi nous)\b|\bformer (?:employee|colleague|user|member)\b|\bno (?:usable )?mail (?:exchangers?|servers?) for\b|\bhas no (?:usable )?mail exchangers?\b|\bdestinatar(?:ul)? inexistent|\bno (?:mail )?hosts? for (?:this |the |that )?domain\b|\bno one (?:of|by|with) (?:that|this)\b|\bno record of (?:a|any|this|that) (?:user|mailbox|recipient)\b|\bnot a (?:known|local) (?:user|recipient|mailbox)\b|\bunknown local part|\bis not our (?:customer|user)|\bnot our customer\b`,
      String.raw`\bnot (?:listed )?in\b.{0,20}\bdirectory\b|\b(?:has|have) left the company|\bno longer (?:in use|active|works|employed|accepts?|valid|on server)`,
      `${WHO_ELSEWHERE}${GAP}${GONE}|${NO}(?: \\w{1,15}){0,2} ?${WHO_ELSEWHERE}`,
      String.raw`\bkimse (?:yok|bulunmuyor|bulunamad[iı])`,
      '查无此人|无此用户|(?:такого|такой) пользователя нет',
    ],
  ],
  // The weaker words of a policy: only if nothing else is named.
  [
    'policy',
    [
      String.raw`\b(?:advertis\w{1,8}|newsletters?|marketing|promotional|werbung|publicites?|publicidad|pubblicita|machine generated)\b|\bwhite-?list\w{0,3}\b|\ballow-?list\w{0,3}\b|\bnot (?:welcome|wanted)\b|\bunwelcome\b`,
      String.raw`\bspam(?:ming|my)?\b|\bjunk\b|\b(?:unerwunscht|indesirables?|no deseado)\b|\bunsolicited\b|\bbulk mail\b`,
      String.raw`\b(?:polic(?:y|ies)|reputation|richtlinien?|politique|politicas?)\b`,
    ],
  ],
  [
    'blocked',
    [
      String.raw`\b(?:access|permission) denied\b|\badministrative prohibition\b|\bsecurity (?:reasons|checks?)\b`,
      String.raw`\b(?:is|are|was|were|been|envelope|mail|message|host|server|ip) (?:blocked|banned|denied)\b|\b(?:blocked|banned) (?:by|using|due|because|for|sending|at|with|from|see)\b|^\W{0,9}blocked\b|:blocked\b`,
      String.raw`\bclient host rejected\b|\bhelo\b.{0,15}\brejected|\breverse (?:dns|hostname|lookup)|\bptr\b`,
      String.raw`\bnot authori[sz]ed\b|\bunauthenticated\b|\bnot accepted from\b|\bcontent (?:is |was )?(?:denied|rejected|refused)`,
      String.raw`\bdynamic (?:ip|address)|\blocal rule\b|\bfrequency limited\b|\btoo many (?:messages|invalid recipients)\b|\brate limit|\bsuspicious\b|\babuse\b`,
    ],
  ],
  // Words for dead addresses that systems also use for less.
  [
    'unavailable',
    [
      // IronPort's, with nothing before it that says whose address.
      String.raw`(?<![a-z] )\baddress rejected\b`,
      String.raw`\b(?:inactive|disabled|deactivated) (?:\w{1,20} )?(?:local )?${WHO}\b`,
      String.raw`\b${WHO}\b.{0,40}\b(?:unavailable|not available|disabled|deactivated|inactive)`,
      String.raw`\bunrout(?:e)?able\b|\bno such (?:domain|host)\b|\bnon-?existent (?:hosts?|domain)|\bno mx\b|\bnull ?mx\b|\b(?:host|domain|domain name)\b.{0,20}\b(?:unknown|not found|does not exist|does not accept)|\bany host named\b|\bunknown (?:host|domain)|\binvalid domain`,
      String.raw`${WHO_ELSEWHERE}${GAP}(?:deaktiviert|desactivee?|desactivad[oa]|deshabilitad[oa]|disattivat[oa]|отключ)`,
    ],
  ],
  [
    'network',
    [
      String.raw`\btimed? ?out\b|\btimeout\b|\bconnection refused\b|\bunreachable\b|\bdelivery time expired|\bmessage expired|\bmail loop\b|\bhop count`,
    ],
  ],
];

/** In the order in which they are looked for. */
export const PHRASES: readonly (readonly [Topic, RegExp])[] = SOURCES.map(([topic, sources]) => [
  topic,
  new RegExp(sources.map((source) => `(?:${source})`).join('|'), 'u'),
]);

/** Blocklists and reputation services, which replies name by their names or hosts. */
export const BLOCKLISTS =
  /\b(?:spamhaus|spamcop|barracudacentral|sorbs|uceprotect|abusix|senderscore|invaluement|surbl|uribl|dnsbl|rbl)\b/i;

/** Names for somebody else than the recipient: a code alone then says nothing of the recipient. */
export const ANOTHER = new RegExp(`${SENDER}|${HOST}`, 'u');

/**
 * The words that replies about dead addresses consist of, beside what `dead` and `unavailable` look for. A text that
 * has others may be about somebody else's address, or for a while: there is no end to how that can be said, so the
 * words that are known to be harmless are listed, not those that are not.
 */
export const ORDINARY = new RegExp(
  [
    String.raw`\bno such (?:user|mailbox|recipient|address) [\w-]{1,30} here\b`,
    WHO_ELSEWHERE,
    GONE,
    NO,
    String.raw`\b${WHO}\b`,
    String.raw`\b(?:(?:on|at|in|by|of|to|for|with|auf|dans|en|in) (?:this|that|our|the|local|virtual|relay|valid|diesem|ce|este|questo) (?:server|system|host|domain|site|mail system|organi[sz]ation|company|list|table|directory|name|domaine|servidor)|mx or a record for the domain\W{1,9}domain not found|your message to|all relevant mx records point to|hosts|any host named|ipnumber does not like recipient|giving up on ipnumber|remote host said|you are writing to|from (?:this|our) system|domain no longer hosted|no longer in use|remote server|access denied|explanation visit|(?:a|the|this|that|any|these|those|has|have|had|been|was|were|are|and|not|for|but|its|here|there|such|by|name|named|names|known|with))\b`,
    String.raw`\b(?:sorry|error|fatal|permanent|permanently|failure|failed|delivery|deliver|delivered|undeliverable|bounced?|requested|action|taken|aborted|message|mail|e-?mail|was|accepted|accept|accepting|accepts|rejected?|rejecting|spam|policy|please|check|verify|verification|callout|double-check(?:ing)?|again|spelling)\b`,
    String.raw`\b(?:local|virtual|relay|table|tables|database|directory|in the|lookup|exist|exists|found|find|unavailable|available|disabled|deactivated|inactive|active|anymore|any more|longer|used|one or more|real one|illegal|called|heard|never|gone|could|couldn't|cannot|can't|can|you|tried|reach|specified|given|typos?|valid|doesn't|does|don't|did|do|has no|nobody|left|unrouteable|unroutable|rcpt|smtp|esmtp|gsmtp|psmtp|vpopmail|chkuser|esp|account|number|code|because|already|yahoo|customer|our|we|isn't|that|record|registered|matching|remote|returned|said|says|relay said|reason|status|know|ours|away|forwarding|owner|part|company|all|addresses|an error|use|original|mailuser|resolver\.adr\.\w{0,12}notfound)\b`,
    String.raw`\b(?:der|die|das|dem|den|des|ein|eine|einen|dieser?|diese[mns]?|ist|sind|uns|wurde|wird|hier|mit|unter|namen|name|mehr|nicht|nachricht|konnte|zugestellt|zustellung|keine|fur|werden|angegebene[rn]?|leider|existiert|kein|gesuchte|kunde|abgeschaltet)\b`,
    String.raw`\b(?:les?|la|cette?|cet|ce|des?|du|un|une|d'un|au|moins|est|ete|n'est|plus|pas|nom|avec|par|sur|ici|compte|service|nos|services|existe|n'existe|aux lettres|mail|ne correspond|definitivement|a)\b`,
    String.raw`\b(?:el|los|las|una|uno|este|esta|ese|esa|con|por|del|nombre|correo|electronico|ya|hay|servidor|en|es|ha|sido|os|do|da|com|nao|foi|mais|possivel|encontrar|nome|e-?mail|ativ[oa]|questo|questa|il|lo|di|posta|elettronica|con|nome|non|piu|che|sul)\b`,
    String.raw`\b(?:het|een|dit|deze|mailbox|met|naam|niet|meer|bekend|hier|nie|ma|jest|tym|o|podanym|adresie|takiego|takiej|tego|ten|ta|na|serwerze|poczty|zosta[lł][oay]?)\b`,
    '(?<!\\p{L})(?:на|сервере|этот|этого|такого|такой|был|была|почтов(?:ый|ого)|электронной|почты|адресат|не|нет|bu|bir|boyle|degil|kutusu|adresi?)(?!\\p{L})',
    '查无此人|无此用户|です|ます|メール|指定された|そのような|この|のは|は|が|の|を|に|ません|ん|该|此|地址|您?查找的|是|的|指定',
  ].join('|'),
  'gu',
);

/**
 * Frequent words of the languages that are known here, beside the ordinary ones, and names of kinds such as
 * `ROUTING.NoConnector`. A text with one of them can be understood, so its other words are not taken for "no such user".
 */
export const FAMILIAR = new RegExp(
  [
    String.raw`\b(?:you|your|we|us|our|it|they|them|who|from|of|to|too|out|off|only|other|while|during|until|since|due|when|what|why|how|will|would|may|must|should|is|be|being|if|or|more|most|all|many|much|new|now|today|soon|yet|still|over|under|after|before)\b`,
    String.raw`\b(?:access|account|advertising|box|client|connection|content|country|database|dns|domain|dot|e-?mails?|header|host|inbox|line|list|limit|locked|mails?|messages?|mta|network|overflow\w{0,3}|provider|queue|quota|rate|receive|region|relay|route|routing|rule|rfc|send|sending|sent|sender|servers?|service|space|storage|system|timeout|traffic|unwelcome|unwanted|volume)\b`,
    String.raw`\b(?:auf|aus|bei|bitte|durch|fur|ihre?r?|ich|im|ohne|oder|sie|sind|und|von|vom|wegen|wir|zu|zum|zur|avec|dans|est|et|il|je|leur|ne|nous|ou|pour|que|qui|sans|sur|vos|votre|vous|como|del|desde|esta|para|pero|por|porque|sus|della|gli|non|per|suo|voor|van|wij|wordt|zijn|jest|przez|dla)\b`,
    String.raw`[a-z]{3,40}\.[a-z]{3,60}`,
    '[\u0430-\u044f]{2}|[\u4e00-\u9fff\u3040-\u30ff]',
  ].join('|'),
  'u',
);

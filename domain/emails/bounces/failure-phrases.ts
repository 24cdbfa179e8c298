/**
 * What the words of a reply speak of. The order is that of `PHRASES`: a reply that names a mailbox and a blocklist
 * speaks of the blocklist.
 */
export type Topic =
  | 'suppressed'
  | 'greylisted'
  | 'rate'
  | 'policy'
  | 'sender'
  | 'content'
  | 'mailbox'
  | 'blocked'
  | 'address'
  | 'network';

/** Names for whoever or whatever receives mail. */
const WHO = String.raw`(?:user|recipient|mailbox|mail box|account|address|addressee|person|customer|subscriber|alias|inbox|username)s?`;

/**
 * Phrases per topic, in the form that `plainWords` gives texts: lower case, Latin letters without accents, no
 * addresses, hosts or codes. Every gap is bounded, so that a match takes time in proportion to the text.
 */
const SOURCES: readonly [Topic, readonly string[]][] = [
  // A provider did not send, because the address had bounced before.
  [
    'suppressed',
    ['suppression list', String.raw`previously bounced`, String.raw`bounced (?:address|lately)`, 'history of bouncing'],
  ],
  ['greylisted', ['gr[ae]y-?list']],
  // The recipient gets too much mail, whoever sends it.
  ['rate', ['recipratee', String.raw`${WHO}.{0,40}\b(?:gets|receiv\w+)\b.{0,40}\b(?:rate|too (?:many|much|quickly))`]],
  [
    'policy',
    [
      String.raw`\bspam(?:ming|my|score|verdachts?)?\b`,
      'dt:spm',
      String.raw`\bjunk\b|\b(?:unsolicited|bulk) (?:e-?)?mails?\b`,
      String.raw`\b(?:uce|ube|phishing|unerwunscht|indesirables?|no deseado|spamverdacht)\b`,
      String.raw`\b(?:spf|dkim|dmarc|dnsbl|rbl|rhsbl)\b`,
      'sender policy framework',
      String.raw`\b(?:black|block|deny|reputation)[ -]?(?:list|liste|listed|listing)s?\b`,
      String.raw`\blisted (?:at|by|on)\b`,
      String.raw`\b(?:lista negra|liste noire|sperrliste|lista nera|lista de bloqueo)\b`,
      String.raw`\b(?:polic(?:y|ies)|reputation|richtlinien?|politique|politicas?)\b`,
      'スパム|迷惑メール|ブラックリスト|垃圾邮件|黑名单|спам|черн\\w+ списк',
    ],
  ],
  [
    'sender',
    [
      String.raw`\brelay(?:ing)?\b.{0,30}\b(?:denied|refused|prohibited|not (?:permitted|allowed))`,
      String.raw`\b(?:unable|not allowed|not permitted|refuse|denied) to relay|\b(?:do|does|will) not relay|rcpthosts`,
      String.raw`\b(?:sending|daily|hourly|monthly|24-hour|outgoing|outbound|submission|package|message rate)\b.{0,20}\b(?:limit|quota|allowance)`,
      String.raw`\b(?:e-?mails?|messages|recipients) (?:per|an|a|for this) (?:hour|day|month|minute)\b`,
      String.raw`\byou(?:'ve| have) (?:reached|exceeded|used)\b`,
      String.raw`\b(?:sending|outgoing mail|outbound mail)\b.{0,25}\b(?:paused|suspended|disabled|switched off|blocked)`,
      String.raw`\byour (?:\w+ )?(?:account|tenant|plan|subscription|package)\b`,
      String.raw`\b(?:trial|sandbox|unpaid|billing|invoices?)\b`,
      String.raw`\bnot (?:yet )?verified\b|\bverified (?:sender|domain)|\bsender identity\b`,
      String.raw`\bauthentication (?:is )?required|\bnot (?:been )?authenticated\b|\busername and password|\bcredentials\b|\bmust (?:first )?log ?in\b|\blog ?in first|\bfor this log-?in\b`,
      String.raw`\bsenders?\b.{0,40}\b(?:reject|denied|refused|not allowed|not permitted|invalid|not valid|does not exist|doesn't exist|unknown|not found|verify|verification|not owned)`,
      String.raw`\baccount (?:is |was |has been )?locked\b|\bfrom address\b.{0,40}\bnot\b|\bbad (?:outbound )?sender|\bsend as\b|\bnot (?:allowed|permitted|authori[sz]ed) to send\b`,
    ],
  ],
  [
    'content',
    [
      String.raw`\b(?:message|mail|e-?mail)\b.{0,30}\b(?:size|too (?:big|large)|larger|exceeds)|\b(?:message|mail) (?:is )?too long\b|\btoo (?:big|large)\b`,
      String.raw`\b(?:virus|malware|infected|executable|trojan)\b`,
      String.raw`\battachments?\b`,
      String.raw`\b(?:malformed|bad header|missing header|invalid header|8-?bit|smtputf8|line too long|body type)\b`,
      String.raw`\b(?:nachricht|message|mensaje)\b.{0,20}\b(?:zu gro(?:ss|ß)|trop (?:gros|volumineux|grand)|demasiado grande)`,
    ],
  ],
  [
    'mailbox',
    [
      String.raw`\b(?:over|exceed\w*|exhausted)\b.{0,30}\bquota|\bquota\b.{0,20}\b(?:exceeded|full|reached|exhausted|used up)|\bover-?quota`,
      String.raw`\b(?:mailbox|mail box|inbox|mail folder|mail drop)\b.{0,30}\b(?:full|over its|size limit|limit reached|exceed)`,
      String.raw`\bfull (?:mailbox|inbox)|\b(?:out of|allowed|exceeded.{0,15}|no more|not enough|insufficient (?:disk |mailbox )?)(?: ?storage| ?space)\b`,
      String.raw`\btemporar(?:y|ily) (?:disabled|suspended|unavailable|locked|inactive|blocked|out)`,
      String.raw`\b${WHO}\b.{0,20}\bsuspended\b`,
      String.raw`\b(?:postfach|mailbox|konto|speicher\w*)\b.{0,30}\b(?:voll|uberfullt|ueberfuellt|erschopft|uberschritten)`,
      String.raw`\b(?:boite|bal|messagerie|espace|quota)\b.{0,40}\b(?:pleine?|saturee?|depasse)`,
      String.raw`\b(?:buzon|cuenta|casilla|bandeja|casella|caixa|postvak|skrzynka)\b.{0,40}\b(?:llen[oa]|piena|cheia|vol|przepelniona|excedid[oa]|superad[oa])`,
      '(?:メールボックス|受信箱|受信トレイ|容量).{0,20}(?:一杯|いっぱい|満杯|超過|超え)|邮箱.{0,4}已?满|空间不足|переполнен',
    ],
  ],
  // The weaker words of a policy: only if nothing else is named.
  [
    'blocked',
    [
      String.raw`\b(?:access|permission) denied\b|\badministrative prohibition\b|\bsecurity (?:reasons|issue|checks?)\b`,
      String.raw`\b(?:is|are|was|were|been|envelope|mail|message|host|server|ip) (?:blocked|banned|denied)\b|\b(?:blocked|banned) (?:by|using|due|because|for|sending|at|with|from)\b`,
      String.raw`\bclient host rejected\b|\bhelo\b.{0,15}\brejected|\breverse (?:dns|hostname|lookup)|\bptr\b`,
      String.raw`\bnot authori[sz]ed\b|\bunauthenticated\b|\bnot accepted from\b|\bcontent (?:is |was )?(?:denied|rejected|refused)`,
      String.raw`\bdynamic (?:ip|address)|\blocal rule\b|\bfrequency limited\b|\btoo many (?:connections|messages)\b|\brate limit|\bsuspicious\b|\babuse\b`,
    ],
  ],
  [
    'address',
    [
      String.raw`\b(?:unknown|invalid|no such|nonexistent|non-existent|not a valid|no valid|unrecogni[sz]ed|undeliverable|inactive|disabled|deactivated) (?:\w+ )?(?:local )?${WHO}\b`,
      String.raw`\b${WHO}\b.{0,40}\b(?:unknown|not (?:be )?(?:found|known|exist|valid|recogni[sz]ed|listed)|(?:does|do|did)(?: not|n't) exist|invalid|inexistent|unavailable|not available|disabled|deactivated|inactive|closed|deleted|removed|terminated|discontinued|no longer|cancelled|expired|moved)`,
      String.raw`\b(?:does not|doesn't|didn't|did not) have an?\b.{0,30}\baccount\b`,
      String.raw`\bno (?:such )?(?:mailbox|recipient|person|user)\b|\bno such (?:address|account|person|name)|\bunknown local part|\bis not our (?:customer|user)`,
      String.raw`\bnot (?:listed )?in\b.{0,20}\bdirectory\b|\brecipient(?:s)? (?:name )?(?:is )?not recogni[sz]ed|\b(?:has|have) left the company|\bno longer (?:in use|active|works|employed|accepts?|valid|on server)`,
      String.raw`\bunrout(?:e)?able\b|\bnon-?existent (?:hosts?|domain)|\bno mx\b|\bnull ?mx\b|\b(?:host|domain|domain name)\b.{0,20}\b(?:unknown|not found|does not exist|does not accept)|\bany host named\b|\bunknown (?:host|domain)|\binvalid domain`,
      // German
      String.raw`\bkeine? solcher? \w+|\b(?:unbekannter?|ungultiger?|ungueltiger?) (?:empfanger|empfaenger|benutzer|nutzer|adresse|teilnehmer)`,
      String.raw`\b(?:empfanger|empfaenger|benutzer|nutzer|\w*adresse|postfach|teilnehmer|konto)\b.{0,40}\b(?:unbekannt|ungultig|ungueltig|existiert nicht|nicht gefunden|nicht bekannt|nicht vorhanden|gibt es nicht|deaktiviert|geloscht)`,
      // French
      String.raw`\b(?:utilisateur|destinataire|adresse|boite|compte|bal|abonne)\b.{0,40}\b(?:inconnue?|inexistante?|invalide|introuvable|n'existe (?:pas|plus)|desactivee?|supprimee?|fermee?)`,
      // Spanish, Portuguese, Italian, Dutch, Polish
      String.raw`\b(?:usuario|destinatario|buzon|cuenta|direccion|casilla|endereco|caixa|conta)\b.{0,40}\b(?:no existe|inexistente|desconocid[oa]|no encontrad[oa]|invalid[oa]|nao existe|desconhecid[oa]|desactivad[oa]|deshabilitad[oa])`,
      String.raw`\bno existe (?:el |la |ese |este |esta |ningun )?(?:usuario|destinatario|buzon|cuenta|direccion)`,
      String.raw`\b(?:utente|destinatario|casella|indirizzo)\b.{0,40}\b(?:sconosciut[oa]|inesistente|non (?:esiste|trovat[oa]|valid[oa])|disattivat[oa])`,
      String.raw`\b(?:onbekende (?:gebruiker|ontvanger)|(?:gebruiker|ontvanger|postvak|adres)\b.{0,30}\b(?:onbekend|bestaat niet)|nieznany (?:odbiorca|uzytkownik)|(?:uzytkownik|adres|konto|skrzynka)\b.{0,30}\bnie istnieje)`,
      '(?:ユーザ|宛先|受信者|アドレス|メールボックス|アカウント).{0,30}(?:存在しま|存在しない|見つかりま|不明|無効)|(?:用户|收件人|邮箱|账号|帐号).{0,6}(?:不存在|未找到|无效|已停用)|(?:пользовател|адрес|ящик|получател).{0,40}(?:не найден|нет|не существует|неизвест|отключ)|(?:такого|такои) пользователя нет',
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

/** Blocklists and reputation services, which replies name by their hosts or in a link. */
export const BLOCKLISTS =
  /\b(?:spamhaus|spamcop|barracudacentral|sorbs|uceprotect|abusix|senderscore|invaluement|surbl|uribl|dnsbl|rbl)\b/i;

/**
 * Words of a failure that speaks of the sender, its host or account, a filter or a passing state: what else it says of an
 * address (`return address invalid`, `mailbox unavailable, try again later`) may not be about the recipient's.
 */
export const DOUBTS = new RegExp(
  [
    String.raw`absender|expediteur|remitente|remetente|mittente|afzender|nadawc|отправител|送信者|差出人|发件人|寄件|\benvio\b`,
    String.raw`\breturn[- ]?path\b|\breturn address\b|\breply-to\b|\bfrom[- ]ad(?:d)?ress|\benvelope[- ](?:from|sender)\b|\bmail from\b|\bcall(?:back|out)\b`,
    String.raw`\bsmtp (?:user|account)\b|\bfor sending\b|\bnon-?payment\b|\bfalta de pago\b|\bpassword\b|\bcontact support\b`,
    String.raw`\bip[- ]?(?:address|adresse)|\b(?:adresse|direccion) ip\b|\b(?:helo|ehlo|rdns|tls|reverse)\b|\byour (?:ip|host|domain|country|mail server|server)\b|\bsender's\b`,
    String.raw`\btry (?:again|later)\b|\btomorrow\b|\bmaintenance\b|\btemporarily\b|\bstoredrv\b|\bread[- ]only\b`,
    String.raw`\btoo many\b|\bcontent filter|\ballow(?:ed)?[- ]?list\b|\bexternal senders\b|\b(?:message|url) rejected\b|\bserver no longer accepts?\b`,
  ].join('|'),
  'u',
);

/**
 * What other programs call a field in the header of an export (mailing services, CRMs, address books, spreadsheets),
 * by language. Case, accents, blanks and punctuation do not matter (`headerKey`). Of several columns for one field
 * the one whose name comes first here is imported.
 */
const HEADER_NAMES: Record<string, readonly string[]> = {
  email: [
    ...['Email Address', 'Mail Address', 'Primary Email', 'E-mail 1 - Value', 'Email 1', 'Mail', 'Contact Email'],
    ...['Work Email', 'Business Email', 'Person - Email - Work', 'Email Work', 'Customer Email', 'Subscriber'],
    ...['Subscriber Email', 'User Email', 'Personal Email', 'Home Email', 'Person - Email - Home', 'Person - Email'],
    ...['E-Mail-Adresse', 'Mailadresse', 'E-Mail geschäftlich', 'E-Mail privat'],
    ...['Adresse e-mail', 'Adresse mail', 'Adresse électronique', 'Adresse de messagerie', 'Courriel'],
    ...['Correo electrónico', 'Dirección de correo electrónico', 'Correo'],
    ...['Adres e-mail', 'Adres poczty elektronicznej', 'Poczta elektroniczna', 'Poczta e-mail', 'Mejl'],
    ...['Endereço de e-mail', 'Correio eletrônico', 'Correio electrónico', 'Endereço eletrônico'],
    ...['Indirizzo e-mail', 'Indirizzo di posta elettronica', 'Posta elettronica'],
    ...['E-mailadres', 'E-mailadresse', 'E-postadress', 'E-postadresse', 'E-post'],
    ...['E-mailová adresa', 'E-mail cím', 'E-posta adresi', 'E-posta', 'Sähköposti', 'Sähköpostiosoite'],
    ...['Электронная почта', 'Адрес электронной почты', 'Эл. почта', 'Почта', 'Електронна пошта', 'Пошта'],
    ...['メールアドレス', '電子メール アドレス', 'Eメールアドレス', '電子メール', 'Eメール', 'メール'],
    ...['电子邮件地址', '电子邮件', '电子邮箱', '邮箱地址', '邮箱', '電子郵件', '電郵', '이메일 주소', '이메일'],
  ],
  firstName: [
    ...['Given Name', 'Forename', 'FNAME', 'First', 'Contact First Name', 'Person - First name'],
    ...['Vorname', 'Prénom', 'Nombre', 'Nombre de pila', 'Primer nombre', 'Imię'],
    ...['Primeiro nome', 'Nome próprio', 'Nome', 'Voornaam', 'Förnamn', 'Fornavn', 'Etunimi'],
    ...['Křestní jméno', 'Jméno', 'Keresztnév', 'Utónév', 'Prenume', 'Adı'],
    ...['Имя', 'Ім’я', '名', '下の名前', '名前（名）', '名字', '이름'],
  ],
  lastName: [
    ...['Surname', 'Family Name', 'LNAME', 'Last', 'Contact Last Name', 'Person - Last name'],
    ...['Nachname', 'Familienname', 'Zuname', 'Nom de famille', 'Nom', 'Apellidos', 'Apellido', 'Primer apellido'],
    ...['Nazwisko', 'Sobrenome', 'Apelido', 'Último nome', 'Cognome', 'Achternaam'],
    ...['Efternamn', 'Efternavn', 'Etternavn', 'Sukunimi', 'Příjmení', 'Vezetéknév', 'Családnév', 'Soyad', 'Soyadı'],
    ...['Фамилия', 'Прізвище', '姓', '苗字', '名前（姓）', '姓氏', '성'],
  ],
  phone: [
    ...['Mobile', 'Mobile Phone', 'Mobile Phone Number', 'Mobile Number', 'Cell Phone', 'Cell', 'SMS', 'Phone Number'],
    ...['Primary Phone', 'Phone 1 - Value', 'Business Phone', 'Work Phone', 'Person - Phone - Work', 'Person - Phone'],
    ...['Home Phone', 'Telephone', 'Telephone Number', 'Tel'],
    ...['Mobiltelefon', 'Handynummer', 'Handy', 'Mobil', 'Telefon', 'Telefonnummer', 'Telefon geschäftlich'],
    ...['Téléphone mobile', 'Téléphone portable', 'Portable', 'Téléphone', 'Numéro de téléphone'],
    ...['Teléfono móvil', 'Móvil', 'Celular', 'Teléfono', 'Número de teléfono'],
    ...['Telefon komórkowy', 'Komórka', 'Numer telefonu', 'Telemóvel', 'Telefone celular', 'Telefone'],
    ...['Cellulare', 'Telefono', 'Mobiel', 'Telefoon', 'Telefoonnummer', 'Мобильный телефон', 'Телефон'],
    ...['携帯電話番号', '携帯電話', '携帯番号', '電話番号', '電話', '手机号码', '手机号', '手机', '电话号码', '电话'],
  ],
  company: [
    ...['Company Name', 'Organization Name', 'Organisation Name', 'Organization 1 - Name', 'Organization'],
    ...['Organisation', 'Account Name', 'Associated Company', 'Person - Organization', 'Employer'],
    ...['Firma', 'Firmenname', 'Unternehmen', 'Société', 'Entreprise', "Nom de l'entreprise"],
    ...['Empresa', 'Compañía', 'Organización', 'Nazwa firmy', 'Przedsiębiorstwo', 'Organização'],
    ...['Azienda', 'Società', 'Bedrijf', 'Bedrijfsnaam', 'Företag', 'Společnost', 'Cég', 'Компания', 'Организация'],
    ...['会社名', '会社', '勤務先', '組織', '公司名称', '公司', '单位', '회사'],
  ],
  jobTitle: [
    ...['Position', 'Organization Title', 'Organization 1 - Title', 'Title'],
    ...['Berufsbezeichnung', 'Jobtitel', 'Funktion', 'Intitulé du poste', 'Poste', 'Fonction'],
    ...['Cargo', 'Puesto', 'Stanowisko', 'Qualifica', 'Functie', 'Должность', '役職', '職名', '职位', '职务', '직책'],
  ],
  tags: [
    ...['Tag', 'Labels', 'Label', 'Group Membership', 'Categories', 'Person - Labels'],
    ...['Schlagwörter', 'Kategorien', 'Étiquettes', 'Mots-clés', 'Catégories', 'Etiquetas', 'Categorías'],
    ...['Tagi', 'Etykiety', 'Kategorie', 'Marcadores', 'Categorias', 'Теги', 'Метки', 'タグ', '分類', '标签', '태그'],
  ],
  timezone: ['Zeitzone', 'Fuseau horaire', 'Zona horaria', 'Strefa czasowa', 'Fuso horário'],
  locale: [],
  source: ['Lead Source', 'Original Source', 'Contact Source', 'Quelle', 'Lead-Quelle', 'Źródło', 'Fuente', 'Origem'],
  status: [
    ...['Subscription Status', 'Subscriber Status', 'Email Status', 'Email Subscription Status', 'Member Status'],
    ...['Email Marketing Status', 'Email Marketing Consent', 'Email Consent', 'Consent Status'],
  ],
  optedOut: [
    ...['Email Opt Out', 'Has Opted Out Of Email', 'Opted Out of Email', 'Opted Out', 'Opt Out', 'Email Opted Out'],
    ...['Unsubscribed', 'Unsubscribed from all email', 'Unsubscribed from all emails', 'Email Unsubscribed'],
    ...['UNSUB_TIME', 'Unsubscribe Time', 'Unsubscribe Date', 'Unsubscribed At', 'Unsubscribed On', 'Opt Out Date'],
    ...[
      'Unsubscribed Date',
      'Date Unsubscribed',
      'Opted Out Date',
      'Email Opt Out Date',
      'Opted Out On',
      'Opted Out At',
    ],
    ...['Opt Out Timestamp', 'Abmeldedatum', 'Abmeldung'],
    ...['Do Not Email', 'Do Not Contact', 'Do not allow Emails', 'Do not allow Bulk Emails', 'Suppressed'],
    ...['Blacklisted', 'Email Blacklisted', 'Blocklisted', 'Email Blocklisted', 'Email Suppressed'],
    ...['Abgemeldet', 'Abgemeldet am', 'Abgemeldet von allen E-Mails', 'Désabonné', 'Désinscrit', 'Désinscrit le'],
    ...['Dado de baja', 'Baja', 'Wypisany', 'Wypisano', 'Rezygnacja', 'Descadastrado', 'Disiscritto'],
    ...['Отписан', 'Отписался', '配信停止', 'オプトアウト', '已退订', '退订', '수신 거부'],
  ],
  bounced: [
    'CLEAN_TIME',
    'Bounced',
    'Hard Bounced',
    'Email Bounced',
    'Bounced At',
    'Bounced Date',
    'Bounced On',
    'Invalid email address',
  ],
  subscribed: [
    ...['Subscribed', 'Email Opt In', 'Opted In', 'Accepts Email Marketing', 'Accepts Marketing', 'Email Subscribed'],
    ...['Marketing Opt In', 'Abonniert', 'Abonné', 'Suscrito', 'Inscrito', '購読中', 'メール配信'],
  ],
};

/** The letters and digits of a name, in lower case and without accents. */
export const headerKey = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');

interface KnownName {
  readonly field: string;
  /** The lower, the better. */
  readonly rank: number;
}

const KNOWN = new Map<string, KnownName>();
const SPELLINGS = new Set<string>();
const spelling = (name: string): string => name.trim().normalize('NFC').toLowerCase();
for (const [field, names] of Object.entries(HEADER_NAMES)) {
  names.forEach((name, rank) => {
    const key = headerKey(name);
    SPELLINGS.add(spelling(name));
    if (!KNOWN.has(key)) KNOWN.set(key, { field, rank });
  });
}

/** The field that a header usually means in the exports of other programs; undefined if it is not known. */
export const knownHeader = (header: string): KnownName | undefined => KNOWN.get(headerKey(header));

/** Whether a header is a known one with its accents: in a wrong encoding it has other ones. */
export const isKnownSpelling = (header: string): boolean => SPELLINGS.has(spelling(header));

const SAYS_NO =
  /unsub|opt(ed)?[-\s]?out|bounce|suppress|blacklist|blocklist|do not|donot|\bdnc\b|abgemeldet|abmeld|werbesperre|désabonn|désinscri|\bbaja\b|wypisan|disiscri|отпис|退订|オプトアウト/iu;
const OF_CONSENT =
  /opt(ed)?[-\s]?in|subscri|consent|newsletter|gdpr|dsgvo|rgpd|abonn|einwillig|werbung|suscri|consentimiento|zgoda|inscri[tç]|подпис|согласи|配信|permission|marketing.*(status|contact)/iu;
/** Details of a decision, which do not tell what was decided. */
const DETAIL = /\b(campaign|reason|title|id|ip|source|method|comment)\b/iu;
/** When somebody decided: a detail of an opt-in, but of an opt-out it tells that there is one. */
const WHEN = /\b(time|timestamp|date|on|at|am|le)\b/iu;

/** Whether the name of an unknown column suggests that it says who may be mailed. */
export function speaksOfConsent(header: string): boolean {
  const words = header.replaceAll('_', ' ');
  return !DETAIL.test(words) && (SAYS_NO.test(words) || (OF_CONSENT.test(words) && !WHEN.test(words)));
}

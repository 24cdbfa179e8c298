import { LANGUAGES, type Language } from '../../../lib/text/languages.ts';
import type { SystemTemplate } from '../../emails/templates/keep-system-template.ts';
import { noticeHtml, noticeText, type Notice } from '../../emails/templates/notice.ts';

/** How many days the link in such an email works. */
export const OPT_IN_DAYS = 7;

type Words = Pick<Notice, 'subject' | 'heading' | 'lines' | 'button' | 'orOpen' | 'closing'>;

/** These emails go to unverified addresses, so the texts contain nothing that was typed into the form. */
const WORDS: Record<Language, Words> = {
  en: {
    subject: 'Please confirm your email address',
    heading: 'Please confirm your email address',
    lines: ['Someone, hopefully you, signed up with this address. Confirm it to get our emails.'],
    button: 'Confirm the address',
    orOpen: 'Or open this link:',
    closing: `The link works for ${OPT_IN_DAYS} days. If it was not you, ignore this email: you will get no emails from us.`,
  },
  de: {
    subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    heading: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    lines: [
      'Jemand, hoffentlich Sie, hat sich mit dieser Adresse angemeldet. Bestätigen Sie sie, dann erhalten Sie unsere E-Mails.',
    ],
    button: 'Adresse bestätigen',
    orOpen: 'Oder öffnen Sie diesen Link:',
    closing: `Der Link funktioniert ${OPT_IN_DAYS} Tage lang. Wenn Sie es nicht waren, tun Sie nichts: Sie erhalten dann keine E-Mails.`,
  },
  fr: {
    subject: 'Veuillez confirmer votre adresse e-mail',
    heading: 'Veuillez confirmer votre adresse e-mail',
    lines: ['Quelqu’un, vous sans doute, s’est inscrit avec cette adresse. Confirmez-la pour recevoir nos e-mails.'],
    button: 'Confirmer l’adresse',
    orOpen: 'Ou ouvrez ce lien :',
    closing: `Le lien fonctionne pendant ${OPT_IN_DAYS} jours. Si ce n’était pas vous, ne faites rien : vous ne recevrez pas d’e-mails.`,
  },
  es: {
    subject: 'Confirme su dirección de correo',
    heading: 'Confirme su dirección de correo',
    lines: ['Alguien, esperamos que usted, se ha suscrito con esta dirección. Confírmela y recibirá nuestros correos.'],
    button: 'Confirmar la dirección',
    orOpen: 'O abra este enlace:',
    closing: `El enlace funciona durante ${OPT_IN_DAYS} días. Si no ha sido usted, no haga nada: no recibirá correos.`,
  },
  pl: {
    subject: 'Potwierdź swój adres e-mail',
    heading: 'Potwierdź swój adres e-mail',
    lines: [
      'Ktoś, mamy nadzieję, że Ty, zapisał się z tym adresem. Potwierdź go, a będziesz otrzymywać nasze wiadomości.',
    ],
    button: 'Potwierdź adres',
    orOpen: 'Albo otwórz ten link:',
    closing: `Link działa przez ${OPT_IN_DAYS} dni. Jeśli to nie Ty, nie rób nic: nie dostaniesz żadnych wiadomości.`,
  },
  pt: {
    subject: 'Confirme o seu endereço de e-mail',
    heading: 'Confirme o seu endereço de e-mail',
    lines: [
      'Alguém, esperamos que tenha sido você, inscreveu-se com este endereço. Confirme-o e receberá os nossos e-mails.',
    ],
    button: 'Confirmar o endereço',
    orOpen: 'Ou abra esta ligação:',
    closing: `A ligação funciona durante ${OPT_IN_DAYS} dias. Se não foi você, não faça nada: não receberá e-mails.`,
  },
};

/** The system key of the email in a language. */
export const optInKey = (language: Language): string => `confirm_opt_in:${language}`;
const KEYS = new Set(LANGUAGES.map(optInKey));
export const isOptInKey = (systemKey: string): boolean => KEYS.has(systemKey);

/** The template of the confirmation email in this release. `data.url` is the link with its token. */
export function optInTemplate(language: Language): SystemTemplate {
  const notice: Notice = { ...WORDS[language], language, brand: null };
  return {
    name: `Confirm an address (${language})`,
    subject: notice.subject,
    content: noticeHtml(notice),
    text: noticeText(notice),
  };
}

import type { Language } from '../../../lib/text/languages.ts';

/** What a form says besides its labels, which are the editor's own. */
export interface FormTexts {
  /** Behind the label of a field that must be filled in. */
  required: string;
  send: string;
  sending: string;
  thanks: string;
  /** Before the list of fields with an error. */
  correct: string;
  /** What follows `offline`, `busy`, `failed` and `noProof`. */
  kept: string;
  offline: string;
  busy: string;
  failed: string;
  tooLarge: string;
  /** No more files can be stored. */
  noRoom: string;
  gone: string;
  refused: string;
  /** The form itself could not be loaded. */
  notLoaded: string;
  again: string;
  /** Where fields are left out because their values are known. */
  known: string;
  /** By which a visitor says to be somebody else than the known contact. */
  notYou: string;
  /** About CAPTCHAs. */
  proving: string;
  prove: string;
  noProof: string;
}

/** A text about a submission that failed, which says what can be done if there is anything. */
export const failureText = (texts: FormTexts, key: keyof FormTexts): string =>
  ['offline', 'busy', 'failed', 'noProof'].includes(key) ? `${texts[key]} ${texts.kept}` : texts[key];

export const FORM_TEXTS: Record<Language, FormTexts> = {
  en: {
    required: '(required)',
    send: 'Send',
    sending: 'Sending …',
    thanks: 'Thank you.',
    correct: 'Please correct:',
    kept: 'Your entries are still here. Please try again in a moment.',
    offline: 'Not sent: there is no connection.',
    busy: 'Not sent: there are too many requests.',
    failed: 'That did not work.',
    tooLarge: 'Not sent: your entries are too large.',
    noRoom: 'Not sent: there is no room for files at present. Please send the form without them, or later.',
    gone: 'This form is closed.',
    refused: 'This form takes no entries from this page.',
    notLoaded: 'The form could not be loaded.',
    again: 'Try again',
    known: 'We have some of your details already.',
    notYou: 'Not you?',
    proving: 'Checking that you are not a robot …',
    prove: 'Please confirm that you are not a robot.',
    noProof: 'The check for robots has failed.',
  },
  de: {
    required: '(erforderlich)',
    send: 'Senden',
    sending: 'Wird gesendet …',
    thanks: 'Vielen Dank.',
    correct: 'Bitte korrigieren:',
    kept: 'Ihre Eingaben sind noch da. Bitte versuchen Sie es gleich noch einmal.',
    offline: 'Nicht gesendet: keine Verbindung.',
    busy: 'Nicht gesendet: zu viele Anfragen.',
    failed: 'Das hat nicht geklappt.',
    tooLarge: 'Nicht gesendet: Ihre Eingaben sind zu groß.',
    noRoom: 'Nicht gesendet: Zurzeit ist kein Platz für Dateien. Bitte senden Sie das Formular ohne sie oder später.',
    gone: 'Dieses Formular ist geschlossen.',
    refused: 'Dieses Formular nimmt von dieser Seite nichts an.',
    notLoaded: 'Das Formular konnte nicht geladen werden.',
    again: 'Noch einmal versuchen',
    known: 'Einige Ihrer Angaben haben wir schon.',
    notYou: 'Sind Sie das nicht?',
    proving: 'Es wird geprüft, dass Sie kein Roboter sind …',
    prove: 'Bitte bestätigen Sie, dass Sie kein Roboter sind.',
    noProof: 'Die Prüfung auf Roboter ist fehlgeschlagen.',
  },
  fr: {
    required: '(obligatoire)',
    send: 'Envoyer',
    sending: 'Envoi en cours…',
    thanks: 'Merci.',
    correct: 'Veuillez corriger :',
    kept: 'Vos saisies sont conservées. Veuillez réessayer dans un instant.',
    offline: 'Non envoyé : pas de connexion.',
    busy: 'Non envoyé : trop de demandes.',
    failed: 'Cela n’a pas fonctionné.',
    tooLarge: 'Non envoyé : vos saisies sont trop volumineuses.',
    noRoom:
      'Non envoyé : il n’y a pas de place pour des fichiers actuellement. Veuillez envoyer le formulaire sans eux, ou plus tard.',
    gone: 'Ce formulaire est fermé.',
    refused: 'Ce formulaire n’accepte rien depuis cette page.',
    notLoaded: 'Le formulaire n’a pas pu être chargé.',
    again: 'Réessayer',
    known: 'Nous avons déjà certaines de vos informations.',
    notYou: 'Ce n’est pas vous ?',
    proving: 'Vérification que vous n’êtes pas un robot…',
    prove: 'Veuillez confirmer que vous n’êtes pas un robot.',
    noProof: 'La vérification anti-robot a échoué.',
  },
  es: {
    required: '(obligatorio)',
    send: 'Enviar',
    sending: 'Enviando…',
    thanks: 'Gracias.',
    correct: 'Corrija lo siguiente:',
    kept: 'Sus datos siguen aquí. Vuelva a intentarlo dentro de un momento.',
    offline: 'No enviado: no hay conexión.',
    busy: 'No enviado: hay demasiadas solicitudes.',
    failed: 'No ha funcionado.',
    tooLarge: 'No enviado: sus datos ocupan demasiado.',
    noRoom: 'No enviado: por ahora no hay espacio para archivos. Envíe el formulario sin ellos, o más tarde.',
    gone: 'Este formulario está cerrado.',
    refused: 'Este formulario no admite envíos desde esta página.',
    notLoaded: 'No se ha podido cargar el formulario.',
    again: 'Volver a intentarlo',
    known: 'Ya tenemos algunos de sus datos.',
    notYou: '¿No es usted?',
    proving: 'Comprobando que no es un robot…',
    prove: 'Confirme que no es un robot.',
    noProof: 'La comprobación de robots ha fallado.',
  },
  pl: {
    required: '(wymagane)',
    send: 'Wyślij',
    sending: 'Wysyłanie…',
    thanks: 'Dziękujemy.',
    correct: 'Popraw:',
    kept: 'Wpisane dane nadal tu są. Spróbuj ponownie za chwilę.',
    offline: 'Nie wysłano: brak połączenia.',
    busy: 'Nie wysłano: zbyt wiele żądań.',
    failed: 'Nie udało się.',
    tooLarge: 'Nie wysłano: dane są za duże.',
    noRoom: 'Nie wysłano: obecnie nie ma miejsca na pliki. Wyślij formularz bez nich lub później.',
    gone: 'Ten formularz jest zamknięty.',
    refused: 'Ten formularz nie przyjmuje danych z tej strony.',
    notLoaded: 'Nie udało się wczytać formularza.',
    again: 'Spróbuj ponownie',
    known: 'Niektóre Twoje dane już mamy.',
    notYou: 'To nie Ty?',
    proving: 'Sprawdzanie, czy nie jesteś robotem…',
    prove: 'Potwierdź, że nie jesteś robotem.',
    noProof: 'Test na robota nie powiódł się.',
  },
  pt: {
    required: '(obrigatório)',
    send: 'Enviar',
    sending: 'A enviar…',
    thanks: 'Obrigado.',
    correct: 'Corrija o seguinte:',
    kept: 'Os seus dados continuam aqui. Tente novamente dentro de momentos.',
    offline: 'Não enviado: não há ligação.',
    busy: 'Não enviado: há demasiados pedidos.',
    failed: 'Não funcionou.',
    tooLarge: 'Não enviado: os seus dados são demasiado grandes.',
    noRoom: 'Não enviado: de momento não há espaço para ficheiros. Envie o formulário sem eles, ou mais tarde.',
    gone: 'Este formulário está fechado.',
    refused: 'Este formulário não aceita envios a partir desta página.',
    notLoaded: 'Não foi possível carregar o formulário.',
    again: 'Tentar novamente',
    known: 'Já temos alguns dos seus dados.',
    notYou: 'Não é você?',
    proving: 'A verificar que não é um robô…',
    prove: 'Confirme que não é um robô.',
    noProof: 'A verificação de robôs falhou.',
  },
};

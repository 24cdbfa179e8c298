import type { Language } from '../../../domain/common/languages.ts';

/** What a form says besides its labels, which are the editor's own. */
export interface FormTexts {
  /** Behind the label of a field that must be filled in. */
  required: string;
  send: string;
  /** By a file field whose file was sent and not stored. */
  chooseAgain: string;
  sending: string;
  thanks: string;
  /** Before the list of fields with an error. */
  correct: string;
  /** What was typed is still there after each of these. */
  offline: string;
  busy: string;
  failed: string;
  tooLarge: string;
  gone: string;
  refused: string;
  /** The form itself could not be loaded. */
  notLoaded: string;
  again: string;
  /** About CAPTCHAs. */
  proving: string;
  prove: string;
  noProof: string;
}

export const FORM_TEXTS: Record<Language, FormTexts> = {
  en: {
    required: '(required)',
    send: 'Send',
    chooseAgain: 'Please choose the file again: it was not stored.',
    sending: 'Sending …',
    thanks: 'Thank you.',
    correct: 'Please correct:',
    offline: 'Not sent: there is no connection. Your entries are still here. Please try again.',
    busy: 'Not sent: there are too many requests. Your entries are still here. Please try again in a minute.',
    failed: 'That did not work. Your entries are still here. Please try again in a moment.',
    tooLarge: 'Not sent: your entries are too large.',
    gone: 'This form is closed.',
    refused: 'This form takes no entries from this page.',
    notLoaded: 'The form could not be loaded.',
    again: 'Try again',
    proving: 'Checking that you are not a robot …',
    prove: 'Please confirm that you are not a robot.',
    noProof: 'The check for robots could not be loaded. Your entries are still here. Please try again.',
  },
  de: {
    required: '(erforderlich)',
    send: 'Senden',
    chooseAgain: 'Bitte wählen Sie die Datei noch einmal: Sie wurde nicht gespeichert.',
    sending: 'Wird gesendet …',
    thanks: 'Vielen Dank.',
    correct: 'Bitte korrigieren:',
    offline: 'Nicht gesendet: keine Verbindung. Ihre Eingaben sind noch da. Bitte versuchen Sie es noch einmal.',
    busy: 'Nicht gesendet: zu viele Anfragen. Ihre Eingaben sind noch da. Bitte versuchen Sie es in einer Minute noch einmal.',
    failed: 'Das hat nicht geklappt. Ihre Eingaben sind noch da. Bitte versuchen Sie es gleich noch einmal.',
    tooLarge: 'Nicht gesendet: Ihre Eingaben sind zu groß.',
    gone: 'Dieses Formular ist geschlossen.',
    refused: 'Dieses Formular nimmt von dieser Seite nichts an.',
    notLoaded: 'Das Formular konnte nicht geladen werden.',
    again: 'Noch einmal versuchen',
    proving: 'Es wird geprüft, dass Sie kein Roboter sind …',
    prove: 'Bitte bestätigen Sie, dass Sie kein Roboter sind.',
    noProof:
      'Die Prüfung auf Roboter konnte nicht geladen werden. Ihre Eingaben sind noch da. Bitte versuchen Sie es noch einmal.',
  },
  fr: {
    required: '(obligatoire)',
    send: 'Envoyer',
    chooseAgain: 'Veuillez choisir à nouveau le fichier : il n’a pas été enregistré.',
    sending: 'Envoi en cours…',
    thanks: 'Merci.',
    correct: 'Veuillez corriger :',
    offline: 'Non envoyé : pas de connexion. Vos saisies sont conservées. Veuillez réessayer.',
    busy: 'Non envoyé : trop de demandes. Vos saisies sont conservées. Veuillez réessayer dans une minute.',
    failed: 'Cela n’a pas fonctionné. Vos saisies sont conservées. Veuillez réessayer dans un instant.',
    tooLarge: 'Non envoyé : vos saisies sont trop volumineuses.',
    gone: 'Ce formulaire est fermé.',
    refused: 'Ce formulaire n’accepte rien depuis cette page.',
    notLoaded: 'Le formulaire n’a pas pu être chargé.',
    again: 'Réessayer',
    proving: 'Vérification que vous n’êtes pas un robot…',
    prove: 'Veuillez confirmer que vous n’êtes pas un robot.',
    noProof: 'La vérification anti-robot n’a pas pu être chargée. Vos saisies sont conservées. Veuillez réessayer.',
  },
  es: {
    required: '(obligatorio)',
    send: 'Enviar',
    chooseAgain: 'Vuelva a elegir el archivo: no se guardó.',
    sending: 'Enviando…',
    thanks: 'Gracias.',
    correct: 'Corrija lo siguiente:',
    offline: 'No enviado: no hay conexión. Sus datos siguen aquí. Vuelva a intentarlo.',
    busy: 'No enviado: hay demasiadas solicitudes. Sus datos siguen aquí. Vuelva a intentarlo dentro de un minuto.',
    failed: 'No ha funcionado. Sus datos siguen aquí. Vuelva a intentarlo dentro de un momento.',
    tooLarge: 'No enviado: sus datos ocupan demasiado.',
    gone: 'Este formulario está cerrado.',
    refused: 'Este formulario no admite envíos desde esta página.',
    notLoaded: 'No se ha podido cargar el formulario.',
    again: 'Volver a intentarlo',
    proving: 'Comprobando que no es un robot…',
    prove: 'Confirme que no es un robot.',
    noProof: 'No se ha podido cargar la comprobación de robots. Sus datos siguen aquí. Vuelva a intentarlo.',
  },
  pl: {
    required: '(wymagane)',
    send: 'Wyślij',
    chooseAgain: 'Wybierz plik ponownie: nie został zapisany.',
    sending: 'Wysyłanie…',
    thanks: 'Dziękujemy.',
    correct: 'Popraw:',
    offline: 'Nie wysłano: brak połączenia. Wpisane dane nadal tu są. Spróbuj ponownie.',
    busy: 'Nie wysłano: zbyt wiele żądań. Wpisane dane nadal tu są. Spróbuj ponownie za minutę.',
    failed: 'Nie udało się. Wpisane dane nadal tu są. Spróbuj ponownie za chwilę.',
    tooLarge: 'Nie wysłano: dane są za duże.',
    gone: 'Ten formularz jest zamknięty.',
    refused: 'Ten formularz nie przyjmuje danych z tej strony.',
    notLoaded: 'Nie udało się wczytać formularza.',
    again: 'Spróbuj ponownie',
    proving: 'Sprawdzanie, czy nie jesteś robotem…',
    prove: 'Potwierdź, że nie jesteś robotem.',
    noProof: 'Nie udało się wczytać testu na robota. Wpisane dane nadal tu są. Spróbuj ponownie.',
  },
  pt: {
    required: '(obrigatório)',
    send: 'Enviar',
    chooseAgain: 'Escolha o ficheiro novamente: não foi guardado.',
    sending: 'A enviar…',
    thanks: 'Obrigado.',
    correct: 'Corrija o seguinte:',
    offline: 'Não enviado: não há ligação. Os seus dados continuam aqui. Tente novamente.',
    busy: 'Não enviado: há demasiados pedidos. Os seus dados continuam aqui. Tente novamente dentro de um minuto.',
    failed: 'Não funcionou. Os seus dados continuam aqui. Tente novamente dentro de momentos.',
    tooLarge: 'Não enviado: os seus dados são demasiado grandes.',
    gone: 'Este formulário está fechado.',
    refused: 'Este formulário não aceita envios a partir desta página.',
    notLoaded: 'Não foi possível carregar o formulário.',
    again: 'Tentar novamente',
    proving: 'A verificar que não é um robô…',
    prove: 'Confirme que não é um robô.',
    noProof: 'Não foi possível carregar a verificação de robôs. Os seus dados continuam aqui. Tente novamente.',
  },
};

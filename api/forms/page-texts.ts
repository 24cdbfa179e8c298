import type { Language } from '../../domain/common/languages.ts';

/** For visitors without JavaScript, of a form with a CAPTCHA. */
export const NEEDS_SCRIPT: Record<Language, string> = {
  en: 'To send this form, please allow JavaScript: it proves that you are not a robot.',
  de: 'Bitte erlauben Sie JavaScript, um dieses Formular zu senden: Es weist nach, dass Sie kein Roboter sind.',
  fr: 'Pour envoyer ce formulaire, veuillez autoriser JavaScript : il prouve que vous n’êtes pas un robot.',
  es: 'Para enviar este formulario, permita JavaScript: demuestra que no es un robot.',
  pl: 'Aby wysłać ten formularz, zezwól na JavaScript: dowodzi, że nie jesteś robotem.',
  pt: 'Para enviar este formulário, permita o JavaScript: comprova que não é um robô.',
};

/** By a file field whose file was sent and not stored. */
export const CHOOSE_AGAIN: Record<Language, string> = {
  en: 'Please choose the file again: it was not stored.',
  de: 'Bitte wählen Sie die Datei noch einmal: Sie wurde nicht gespeichert.',
  fr: 'Veuillez choisir à nouveau le fichier : il n’a pas été enregistré.',
  es: 'Vuelva a elegir el archivo: no se guardó.',
  pl: 'Wybierz plik ponownie: nie został zapisany.',
  pt: 'Escolha o ficheiro novamente: não foi guardado.',
};

/** When no more files can be stored. */
export const NO_ROOM: Record<Language, string> = {
  en: 'Not sent: there is no room for files at present. Please send the form without them, or later.',
  de: 'Nicht gesendet: Zurzeit ist kein Platz für Dateien. Bitte senden Sie das Formular ohne sie oder später.',
  fr: 'Non envoyé : il n’y a pas de place pour des fichiers actuellement. Veuillez envoyer le formulaire sans eux, ou plus tard.',
  es: 'No enviado: por ahora no hay espacio para archivos. Envíe el formulario sin ellos, o más tarde.',
  pl: 'Nie wysłano: obecnie nie ma miejsca na pliki. Wyślij formularz bez nich lub później.',
  pt: 'Não enviado: de momento não há espaço para ficheiros. Envie o formulário sem eles, ou mais tarde.',
};

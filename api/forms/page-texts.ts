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

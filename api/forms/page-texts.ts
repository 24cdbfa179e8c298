import type { Language } from '../../lib/text/languages.ts';

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

/**
 * Above the button, where a post without a token is shown again: a foreign page can post in somebody's name, so its
 * visitor confirms on ours. `{button}` is the button's label.
 */
export const ONCE_MORE: Record<Language, string> = {
  en: 'Nothing has been sent yet. Please press “{button}” once more to confirm.',
  de: 'Es wurde noch nichts gesendet. Bitte drücken Sie zur Bestätigung noch einmal auf „{button}“.',
  fr: 'Rien n’a encore été envoyé. Veuillez appuyer encore une fois sur « {button} » pour confirmer.',
  es: 'Aún no se ha enviado nada. Pulse «{button}» una vez más para confirmar.',
  pl: 'Nic jeszcze nie wysłano. Aby potwierdzić, naciśnij „{button}” jeszcze raz.',
  pt: 'Ainda nada foi enviado. Prima «{button}» mais uma vez para confirmar.',
};

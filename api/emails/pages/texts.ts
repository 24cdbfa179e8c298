import type { Channel } from '../../../db/entities/channels.ts';
import type { Language } from '../../../lib/text/languages.ts';

/** The texts of a page with one message. */
interface Said {
  title: string;
  text: string;
}

interface Asked extends Said {
  button: string;
}

export interface PageTexts {
  unsubscribe: Asked & { choose: string };
  unsubscribed: Said & { back: string };
  preferences: {
    title: string;
    legend: string;
    other: string;
    save: string;
    noTopics: string;
    saved: string;
    savedAbout: string;
    savedNone: string;
    all: Asked;
    /** For recipients who are reached by more channels than email. */
    titleAll: string;
    legendAll: string;
    otherAll: string;
    channels: Record<Channel, string>;
    quiet: { legend: string; text: string; from: string; to: string; timezone: string; wrong: string };
    anywhere: Asked;
  };
  confirm: Asked;
  confirmed: Said;
  confirmSender: Asked & { account: string; caution: string };
  senderConfirmed: Said;
  preview: Said;
  erased: Said;
  /** Unsubscribed from everything on all channels. */
  nothing: Said;
  deadLink: Said;
  missing: Said;
  failed: Said;
}

/** All texts of the pages for recipients. The hyphen of `E‑Mail` is U+2011, which prevents a line break. */
export const PAGE_TEXTS: Record<Language, PageTexts> = {
  en: {
    unsubscribe: {
      title: 'Unsubscribe',
      text: 'You will no longer get marketing emails from us at this address.',
      button: 'Unsubscribe',
      choose: 'Or choose which emails you get',
    },
    unsubscribed: {
      title: 'You are unsubscribed',
      text: 'We do not send marketing emails to this address.',
      back: 'To get our emails again, sign up again and confirm your address.',
    },
    preferences: {
      title: 'Your email preferences',
      legend: 'Which topics do you want emails about?',
      other: 'Emails that do not belong to any of these topics are not affected.',
      save: 'Save',
      noTopics: 'There are no topics to choose from.',
      saved: 'Saved.',
      savedAbout: 'You will get emails about:',
      savedNone: 'You will not get emails about any of these topics.',
      all: {
        title: 'No emails at all',
        text: 'You will no longer get marketing emails from us at this address.',
        button: 'Unsubscribe from all',
      },
      titleAll: 'Your preferences',
      legendAll: 'What do you want to get, and how?',
      otherAll: 'Messages that do not belong to any of these topics are not affected.',
      channels: { email: 'Email', sms: 'Text', push: 'Notification' },
      quiet: {
        legend: 'Quiet hours',
        text: 'Between these times we send you nothing but what you have asked for.',
        from: 'From',
        to: 'To',
        timezone: 'Time zone',
        wrong: 'Nothing was saved: quiet hours need a beginning and a different end.',
      },
      anywhere: {
        title: 'Nothing at all, anywhere',
        text: 'You will no longer get any marketing from us: no emails, no texts, no notifications.',
        button: 'Unsubscribe from everything',
      },
    },
    confirm: {
      title: 'Confirm your email address',
      text: 'Please confirm that you want to get our emails at this address.',
      button: 'Confirm',
    },
    confirmed: { title: 'Thank you', text: 'Your address is confirmed.' },
    confirmSender: {
      title: 'Allow emails to be sent from this address?',
      text: 'Someone wants to use Perennial to send emails from this address:',
      account: 'Requesting account:',
      caution: 'Allow this only if you know that account. Otherwise, close this page; nothing will happen.',
      button: 'Allow',
    },
    senderConfirmed: { title: 'Thank you', text: 'Emails can now be sent from your address.' },
    preview: {
      title: 'This is a preview',
      text: 'In a sent email, this link leads to a page for its recipient. Nothing was changed.',
    },
    nothing: { title: 'You get nothing more from us', text: 'We send you no marketing any more, on any channel.' },
    erased: { title: 'You get no emails from us', text: 'We have erased your address.' },
    deadLink: {
      title: 'This link does not work',
      text: 'It has expired, was already used or was not copied completely. Nothing was changed. Please use the link in our latest email.',
    },
    missing: {
      title: 'There is no page here',
      text: 'The address may not have been copied completely, or something was added to it. Please use the link where you found it, and copy all of it.',
    },
    failed: { title: 'That did not work', text: 'Please try again in a moment.' },
  },
  de: {
    unsubscribe: {
      title: 'Abmelden',
      text: 'Sie erhalten an diese Adresse keine Werbe-E‑Mails mehr von uns.',
      button: 'Abmelden',
      choose: 'Oder auswählen, welche E‑Mails Sie erhalten',
    },
    unsubscribed: {
      title: 'Sie sind abgemeldet',
      text: 'Wir senden keine Werbe-E‑Mails an diese Adresse.',
      back: 'Wenn Sie unsere E‑Mails wieder erhalten möchten, melden Sie sich erneut an und bestätigen Sie Ihre Adresse.',
    },
    preferences: {
      title: 'Ihre E‑Mail-Einstellungen',
      legend: 'Worüber möchten Sie E‑Mails erhalten?',
      other: 'E‑Mails, die zu keinem dieser Themen gehören, sind davon nicht betroffen.',
      save: 'Speichern',
      noTopics: 'Es gibt keine Themen zur Auswahl.',
      saved: 'Gespeichert.',
      savedAbout: 'Sie erhalten E‑Mails über:',
      savedNone: 'Sie erhalten zu keinem dieser Themen E‑Mails.',
      all: {
        title: 'Gar keine E‑Mails',
        text: 'Sie erhalten an diese Adresse keine Werbe-E‑Mails mehr von uns.',
        button: 'Von allem abmelden',
      },
      titleAll: 'Ihre Einstellungen',
      legendAll: 'Was möchten Sie erhalten, und wie?',
      otherAll: 'Nachrichten, die zu keinem dieser Themen gehören, sind davon nicht betroffen.',
      channels: { email: 'E‑Mail', sms: 'SMS', push: 'Push' },
      quiet: {
        legend: 'Ruhezeiten',
        text: 'Zwischen diesen Zeiten senden wir Ihnen nur, worum Sie gebeten haben.',
        from: 'Von',
        to: 'Bis',
        timezone: 'Zeitzone',
        wrong: 'Nichts wurde gespeichert: Ruhezeiten brauchen einen Beginn und ein anderes Ende.',
      },
      anywhere: {
        title: 'Gar nichts, nirgends',
        text: 'Sie erhalten keine Werbung mehr von uns: keine E‑Mails, keine SMS, keine Push-Nachrichten.',
        button: 'Von wirklich allem abmelden',
      },
    },
    confirm: {
      title: 'E‑Mail-Adresse bestätigen',
      text: 'Bitte bestätigen Sie, dass Sie unsere E‑Mails an diese Adresse erhalten möchten.',
      button: 'Bestätigen',
    },
    confirmed: { title: 'Vielen Dank', text: 'Ihre Adresse ist bestätigt.' },
    confirmSender: {
      title: 'Dürfen E‑Mails von dieser Adresse gesendet werden?',
      text: 'Jemand möchte mit Perennial E‑Mails senden, die von dieser Adresse kommen:',
      account: 'Das Konto, das darum bittet:',
      caution:
        'Erlauben Sie es nur, wenn Sie dieses Konto kennen. Andernfalls schließen Sie diese Seite, dann geschieht nichts.',
      button: 'Erlauben',
    },
    senderConfirmed: { title: 'Vielen Dank', text: 'Von Ihrer Adresse können jetzt E‑Mails gesendet werden.' },
    preview: {
      title: 'Dies ist eine Vorschau',
      text: 'In einer versendeten E‑Mail führt dieser Link zu einer Seite für die Empfängerin oder den Empfänger. Es wurde nichts geändert.',
    },
    nothing: { title: 'Sie erhalten nichts mehr von uns', text: 'Wir senden Ihnen auf keinem Weg mehr Werbung.' },
    erased: { title: 'Sie erhalten keine E‑Mails von uns', text: 'Wir haben Ihre Adresse gelöscht.' },
    deadLink: {
      title: 'Dieser Link funktioniert nicht',
      text: 'Er ist zu alt, wurde schon benutzt oder nicht vollständig kopiert. Es wurde nichts geändert. Bitte verwenden Sie den Link in unserer neuesten E‑Mail.',
    },
    missing: {
      title: 'Hier gibt es keine Seite',
      text: 'Die Adresse wurde vielleicht nicht vollständig kopiert, oder es kam etwas dazu. Bitte verwenden Sie den Link dort, wo Sie ihn gefunden haben, und kopieren Sie ihn ganz.',
    },
    failed: { title: 'Das hat nicht geklappt', text: 'Bitte versuchen Sie es gleich noch einmal.' },
  },
  fr: {
    unsubscribe: {
      title: 'Se désabonner',
      text: 'Vous ne recevrez plus d’e‑mails publicitaires de notre part à cette adresse.',
      button: 'Se désabonner',
      choose: 'Ou choisir les e‑mails que vous recevez',
    },
    unsubscribed: {
      title: 'Désabonnement effectué',
      text: 'Nous n’envoyons pas d’e‑mails publicitaires à cette adresse.',
      back: 'Si vous souhaitez de nouveau recevoir nos e‑mails, inscrivez-vous encore une fois et confirmez votre adresse.',
    },
    preferences: {
      title: 'Vos préférences d’e‑mail',
      legend: 'À quel sujet souhaitez-vous recevoir des e‑mails ?',
      other: 'Les e‑mails qui ne relèvent d’aucun de ces sujets ne sont pas concernés.',
      save: 'Enregistrer',
      noTopics: 'Il n’y a aucun sujet à choisir.',
      saved: 'Enregistré.',
      savedAbout: 'Vous recevez des e‑mails sur :',
      savedNone: 'Vous ne recevez d’e‑mails sur aucun de ces sujets.',
      all: {
        title: 'Plus aucun e‑mail',
        text: 'Vous ne recevrez plus d’e‑mails publicitaires de notre part à cette adresse.',
        button: 'Se désabonner de tout',
      },
      titleAll: 'Vos préférences',
      legendAll: 'Que souhaitez-vous recevoir, et comment ?',
      otherAll: 'Les messages qui ne relèvent d’aucun de ces sujets ne sont pas concernés.',
      channels: { email: 'E‑mail', sms: 'SMS', push: 'Push' },
      quiet: {
        legend: 'Heures de silence',
        text: 'Entre ces heures, nous ne vous envoyons que ce que vous avez demandé.',
        from: 'De',
        to: 'À',
        timezone: 'Fuseau horaire',
        wrong: 'Rien n’a été enregistré : les heures de silence ont besoin d’un début et d’une autre fin.',
      },
      anywhere: {
        title: 'Plus rien, nulle part',
        text: 'Vous ne recevrez plus aucune publicité de notre part : ni e‑mails, ni SMS, ni notifications.',
        button: 'Se désabonner de tout, partout',
      },
    },
    confirm: {
      title: 'Confirmez votre adresse e‑mail',
      text: 'Veuillez confirmer que vous souhaitez recevoir nos e‑mails à cette adresse.',
      button: 'Confirmer',
    },
    confirmed: { title: 'Merci', text: 'Votre adresse est confirmée.' },
    confirmSender: {
      title: 'Autoriser l’envoi d’e‑mails depuis cette adresse ?',
      text: 'Quelqu’un souhaite envoyer avec Perennial des e‑mails qui viennent de cette adresse :',
      account: 'Le compte qui le demande :',
      caution: 'Ne l’autorisez que si vous connaissez ce compte. Sinon, fermez cette page : rien ne se passera.',
      button: 'Autoriser',
    },
    senderConfirmed: { title: 'Merci', text: 'Des e‑mails peuvent désormais être envoyés depuis votre adresse.' },
    preview: {
      title: 'Ceci est un aperçu',
      text: 'Dans un e‑mail envoyé, ce lien mène à une page destinée à son destinataire. Rien n’a été modifié.',
    },
    nothing: {
      title: 'Vous ne recevrez plus rien de nous',
      text: 'Nous ne vous envoyons plus de publicité, par aucun canal.',
    },
    erased: { title: 'Vous ne recevez aucun e‑mail de notre part', text: 'Nous avons effacé votre adresse.' },
    deadLink: {
      title: 'Ce lien ne fonctionne pas',
      text: 'Il est trop ancien, a déjà été utilisé ou n’a pas été copié en entier. Rien n’a été modifié. Veuillez utiliser le lien de notre dernier e‑mail.',
    },
    missing: {
      title: 'Il n’y a pas de page ici',
      text: 'L’adresse n’a peut-être pas été copiée en entier, ou quelque chose y a été ajouté. Veuillez reprendre le lien là où vous l’avez trouvé et le copier en entier.',
    },
    failed: { title: 'Cela n’a pas fonctionné', text: 'Veuillez réessayer dans un instant.' },
  },
  es: {
    unsubscribe: {
      title: 'Cancelar la suscripción',
      text: 'No volverá a recibir correos publicitarios nuestros en esta dirección.',
      button: 'Cancelar la suscripción',
      choose: 'O elegir qué correos recibe',
    },
    unsubscribed: {
      title: 'Su suscripción está cancelada',
      text: 'No enviamos correos publicitarios a esta dirección.',
      back: 'Si algún día quiere volver a recibir nuestros correos, suscríbase de nuevo y confirme su dirección.',
    },
    preferences: {
      title: 'Sus preferencias de correo',
      legend: '¿Sobre qué quiere recibir correos?',
      other: 'Los correos que no pertenecen a ninguno de estos temas no se ven afectados.',
      save: 'Guardar',
      noTopics: 'No hay temas entre los que elegir.',
      saved: 'Guardado.',
      savedAbout: 'Recibe correos sobre:',
      savedNone: 'No recibe correos sobre ninguno de estos temas.',
      all: {
        title: 'Ningún correo',
        text: 'No volverá a recibir correos publicitarios nuestros en esta dirección.',
        button: 'Cancelar todas las suscripciones',
      },
      titleAll: 'Sus preferencias',
      legendAll: '¿Qué quiere recibir, y cómo?',
      otherAll: 'Los mensajes que no pertenecen a ninguno de estos temas no se ven afectados.',
      channels: { email: 'Correo', sms: 'SMS', push: 'Push' },
      quiet: {
        legend: 'Horas de silencio',
        text: 'Entre estas horas solo le enviamos lo que haya pedido.',
        from: 'De',
        to: 'A',
        timezone: 'Zona horaria',
        wrong: 'No se ha guardado nada: las horas de silencio necesitan un comienzo y un final distinto.',
      },
      anywhere: {
        title: 'Nada de nada, en ningún sitio',
        text: 'No volverá a recibir publicidad nuestra: ni correos, ni SMS, ni notificaciones.',
        button: 'Cancelar todo, en todas partes',
      },
    },
    confirm: {
      title: 'Confirme su dirección de correo',
      text: 'Confirme que quiere recibir nuestros correos en esta dirección.',
      button: 'Confirmar',
    },
    confirmed: { title: 'Gracias', text: 'Su dirección está confirmada.' },
    confirmSender: {
      title: '¿Permitir que se envíen correos desde esta dirección?',
      text: 'Alguien quiere enviar con Perennial correos que proceden de esta dirección:',
      account: 'La cuenta que lo pide:',
      caution: 'Permítalo solo si conoce esa cuenta. Si no, cierre esta página y no ocurrirá nada.',
      button: 'Permitir',
    },
    senderConfirmed: { title: 'Gracias', text: 'Ya se pueden enviar correos desde su dirección.' },
    preview: {
      title: 'Esto es una vista previa',
      text: 'En un correo enviado, este enlace lleva a una página para su destinatario. No se ha cambiado nada.',
    },
    nothing: { title: 'Ya no recibirá nada nuestro', text: 'No le enviamos más publicidad, por ningún canal.' },
    erased: { title: 'No recibe correos nuestros', text: 'Hemos borrado su dirección.' },
    deadLink: {
      title: 'Este enlace no funciona',
      text: 'Es demasiado antiguo, ya se usó o no se copió entero. No se ha cambiado nada. Utilice el enlace de nuestro último correo.',
    },
    missing: {
      title: 'Aquí no hay ninguna página',
      text: 'Puede que la dirección no se copiara entera o que se le añadiera algo. Vuelva a usar el enlace donde lo encontró y cópielo entero.',
    },
    failed: { title: 'No ha funcionado', text: 'Vuelva a intentarlo dentro de un momento.' },
  },
  pl: {
    unsubscribe: {
      title: 'Wypisz się',
      text: 'Na ten adres nie będą już przychodzić od nas wiadomości marketingowe.',
      button: 'Wypisz się',
      choose: 'Albo wybierz, jakie wiadomości chcesz otrzymywać',
    },
    unsubscribed: {
      title: 'Subskrypcja została anulowana',
      text: 'Nie wysyłamy na ten adres wiadomości marketingowych.',
      back: 'Jeśli zechcesz znów otrzymywać nasze wiadomości, zapisz się ponownie i potwierdź swój adres.',
    },
    preferences: {
      title: 'Twoje ustawienia wiadomości',
      legend: 'O czym chcesz otrzymywać wiadomości?',
      other: 'Nie dotyczy to wiadomości, które nie należą do żadnego z tych tematów.',
      save: 'Zapisz',
      noTopics: 'Nie ma tematów do wyboru.',
      saved: 'Zapisano.',
      savedAbout: 'Otrzymujesz wiadomości na tematy:',
      savedNone: 'Nie otrzymujesz wiadomości na żaden z tych tematów.',
      all: {
        title: 'Żadnych wiadomości',
        text: 'Na ten adres nie będą już przychodzić od nas wiadomości marketingowe.',
        button: 'Wypisz się ze wszystkiego',
      },
      titleAll: 'Twoje ustawienia',
      legendAll: 'Co chcesz otrzymywać i jak?',
      otherAll: 'Nie dotyczy to wiadomości, które nie należą do żadnego z tych tematów.',
      channels: { email: 'E‑mail', sms: 'SMS', push: 'Push' },
      quiet: {
        legend: 'Godziny ciszy',
        text: 'Między tymi godzinami wysyłamy tylko to, o co prosisz.',
        from: 'Od',
        to: 'Do',
        timezone: 'Strefa czasowa',
        wrong: 'Nic nie zapisano: godziny ciszy potrzebują początku i innego końca.',
      },
      anywhere: {
        title: 'Zupełnie nic, nigdzie',
        text: 'Nie będziesz już otrzymywać od nas żadnych treści marketingowych: ani e‑maili, ani SMS-ów, ani powiadomień.',
        button: 'Wypisz się zewsząd',
      },
    },
    confirm: {
      title: 'Potwierdź swój adres e‑mail',
      text: 'Potwierdź, że chcesz otrzymywać nasze wiadomości na ten adres.',
      button: 'Potwierdź',
    },
    confirmed: { title: 'Dziękujemy', text: 'Twój adres jest potwierdzony.' },
    confirmSender: {
      title: 'Czy wolno wysyłać wiadomości z tego adresu?',
      text: 'Ktoś chce wysyłać za pomocą Perennial wiadomości z tego adresu:',
      account: 'Konto, które o to prosi:',
      caution: 'Zezwól tylko wtedy, gdy znasz to konto. W przeciwnym razie zamknij tę stronę, a nic się nie stanie.',
      button: 'Zezwól',
    },
    senderConfirmed: { title: 'Dziękujemy', text: 'Z Twojego adresu można teraz wysyłać wiadomości.' },
    preview: {
      title: 'To jest podgląd',
      text: 'W wysłanej wiadomości ten link prowadzi do strony dla jej odbiorcy. Nic nie zostało zmienione.',
    },
    nothing: { title: 'Nic już od nas nie dostaniesz', text: 'Nie wysyłamy Ci już treści marketingowych żadną drogą.' },
    erased: { title: 'Nie otrzymujesz od nas wiadomości', text: 'Usunęliśmy Twój adres.' },
    deadLink: {
      title: 'Ten link nie działa',
      text: 'Jest zbyt stary, został już użyty albo nie został skopiowany w całości. Nic nie zostało zmienione. Użyj linku z naszej najnowszej wiadomości.',
    },
    missing: {
      title: 'Tu nie ma żadnej strony',
      text: 'Być może adres nie został skopiowany w całości albo coś do niego dodano. Wróć do miejsca, w którym jest ten link, i skopiuj go w całości.',
    },
    failed: { title: 'Nie udało się', text: 'Spróbuj ponownie za chwilę.' },
  },
  pt: {
    unsubscribe: {
      title: 'Cancelar a inscrição',
      text: 'Não receberá mais e‑mails publicitários nossos neste endereço.',
      button: 'Cancelar a inscrição',
      choose: 'Ou escolher que e‑mails recebe',
    },
    unsubscribed: {
      title: 'A sua inscrição está cancelada',
      text: 'Não enviamos e‑mails publicitários para este endereço.',
      back: 'Se quiser voltar a receber os nossos e‑mails, inscreva-se novamente e confirme o seu endereço.',
    },
    preferences: {
      title: 'As suas preferências de e‑mail',
      legend: 'Sobre o que quer receber e‑mails?',
      other: 'Os e‑mails que não pertencem a nenhum destes temas não são afetados.',
      save: 'Guardar',
      noTopics: 'Não há temas para escolher.',
      saved: 'Guardado.',
      savedAbout: 'Recebe e‑mails sobre:',
      savedNone: 'Não recebe e‑mails sobre nenhum destes temas.',
      all: {
        title: 'Nenhum e‑mail',
        text: 'Não receberá mais e‑mails publicitários nossos neste endereço.',
        button: 'Cancelar todas as inscrições',
      },
      titleAll: 'As suas preferências',
      legendAll: 'O que quer receber, e como?',
      otherAll: 'As mensagens que não pertencem a nenhum destes temas não são afetadas.',
      channels: { email: 'E‑mail', sms: 'SMS', push: 'Push' },
      quiet: {
        legend: 'Horas de silêncio',
        text: 'Entre estas horas só lhe enviamos o que pediu.',
        from: 'De',
        to: 'Até',
        timezone: 'Fuso horário',
        wrong: 'Nada foi guardado: as horas de silêncio precisam de um início e de um fim diferente.',
      },
      anywhere: {
        title: 'Nada, em lado nenhum',
        text: 'Não receberá mais publicidade nossa: nem e‑mails, nem SMS, nem notificações.',
        button: 'Cancelar tudo, em todo o lado',
      },
    },
    confirm: {
      title: 'Confirme o seu endereço de e‑mail',
      text: 'Confirme que quer receber os nossos e‑mails neste endereço.',
      button: 'Confirmar',
    },
    confirmed: { title: 'Obrigado', text: 'O seu endereço está confirmado.' },
    confirmSender: {
      title: 'Permitir o envio de e‑mails a partir deste endereço?',
      text: 'Alguém quer enviar com o Perennial e‑mails que vêm deste endereço:',
      account: 'A conta que o pede:',
      caution: 'Permita-o apenas se conhecer essa conta. Caso contrário, feche esta página e nada acontece.',
      button: 'Permitir',
    },
    senderConfirmed: { title: 'Obrigado', text: 'Já podem ser enviados e‑mails a partir do seu endereço.' },
    preview: {
      title: 'Isto é uma pré-visualização',
      text: 'Num e‑mail enviado, esta ligação leva a uma página para o seu destinatário. Nada foi alterado.',
    },
    nothing: { title: 'Já não recebe nada nosso', text: 'Não lhe enviamos mais publicidade, por nenhum canal.' },
    erased: { title: 'Não recebe e‑mails nossos', text: 'Apagámos o seu endereço.' },
    deadLink: {
      title: 'Esta ligação não funciona',
      text: 'É demasiado antiga, já foi usada ou não foi copiada por inteiro. Nada foi alterado. Use a ligação do nosso e‑mail mais recente.',
    },
    missing: {
      title: 'Aqui não há nenhuma página',
      text: 'O endereço pode não ter sido copiado por inteiro, ou algo lhe foi acrescentado. Volte a usar a ligação onde a encontrou e copie-a por inteiro.',
    },
    failed: { title: 'Não funcionou', text: 'Tente novamente daqui a pouco.' },
  },
};

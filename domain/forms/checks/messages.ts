import type { Language } from '../../common/languages.ts';
import type { Format } from './formats.ts';

export type MessageKey = 'required' | 'long' | 'short' | 'min' | 'max' | 'option' | 'pattern' | Format;

/** What is wrong with a value: a stable code, and the message about it (`messageOf`). */
export interface Problem {
  code: 'required' | 'too_long' | 'too_short' | 'format' | 'not_an_option' | 'out_of_range';
  message: MessageKey;
  /** The number in the message. */
  limit?: number;
}

/** The messages about values, which follow the label of a field; `#` stands for the limit. */
const MESSAGES: Record<Language, Record<MessageKey, string>> = {
  en: {
    required: 'is required',
    long: 'has more than # characters',
    short: 'has fewer than # characters',
    min: 'is less than #',
    max: 'is greater than #',
    option: 'is not one of the options',
    pattern: 'does not match the required format',
    email: 'is not an email address',
    url: 'is not a web address',
    number: 'is not a number',
    rating: 'is not a rating from 1 to 10',
    phone: 'is not a phone number',
    date: 'is not a date (YYYY-MM-DD)',
    time: 'is not a time (HH:MM)',
    datetime: 'is not a date and time',
    country: 'is not a country code (ISO 3166-1 alpha-2)',
  },
  de: {
    required: 'ist erforderlich',
    long: 'hat mehr als # Zeichen',
    short: 'hat weniger als # Zeichen',
    min: 'ist kleiner als #',
    max: 'ist größer als #',
    option: 'ist keine der Möglichkeiten',
    pattern: 'hat nicht das verlangte Format',
    email: 'ist keine E‑Mail-Adresse',
    url: 'ist keine Internetadresse',
    number: 'ist keine Zahl',
    rating: 'ist keine Bewertung von 1 bis 10',
    phone: 'ist keine Telefonnummer',
    date: 'ist kein Datum (JJJJ-MM-TT)',
    time: 'ist keine Uhrzeit (HH:MM)',
    datetime: 'ist kein Datum mit Uhrzeit',
    country: 'ist kein Ländercode (ISO 3166-1 Alpha-2)',
  },
  fr: {
    required: 'est obligatoire',
    long: 'a plus de # caractères',
    short: 'a moins de # caractères',
    min: 'est inférieur à #',
    max: 'est supérieur à #',
    option: 'ne fait pas partie des choix',
    pattern: 'n’a pas le format demandé',
    email: 'n’est pas une adresse e‑mail',
    url: 'n’est pas une adresse web',
    number: 'n’est pas un nombre',
    rating: 'n’est pas une note de 1 à 10',
    phone: 'n’est pas un numéro de téléphone',
    date: 'n’est pas une date (AAAA-MM-JJ)',
    time: 'n’est pas une heure (HH:MM)',
    datetime: 'n’est pas une date avec heure',
    country: 'n’est pas un code de pays (ISO 3166-1 alpha-2)',
  },
  es: {
    required: 'es obligatorio',
    long: 'tiene más de # caracteres',
    short: 'tiene menos de # caracteres',
    min: 'es menor que #',
    max: 'es mayor que #',
    option: 'no es una de las opciones',
    pattern: 'no tiene el formato requerido',
    email: 'no es una dirección de correo',
    url: 'no es una dirección web',
    number: 'no es un número',
    rating: 'no es una valoración del 1 al 10',
    phone: 'no es un número de teléfono',
    date: 'no es una fecha (AAAA-MM-DD)',
    time: 'no es una hora (HH:MM)',
    datetime: 'no es una fecha con hora',
    country: 'no es un código de país (ISO 3166-1 alfa-2)',
  },
  pl: {
    required: 'pole wymagane',
    long: 'więcej niż # znaków',
    short: 'mniej niż # znaków',
    min: 'wartość mniejsza niż #',
    max: 'wartość większa niż #',
    option: 'to nie jest jedna z opcji',
    pattern: 'nieprawidłowy format',
    email: 'to nie jest adres e‑mail',
    url: 'to nie jest adres internetowy',
    number: 'to nie jest liczba',
    rating: 'to nie jest ocena od 1 do 10',
    phone: 'to nie jest numer telefonu',
    date: 'to nie jest data (RRRR-MM-DD)',
    time: 'to nie jest godzina (GG:MM)',
    datetime: 'to nie jest data z godziną',
    country: 'to nie jest kod kraju (ISO 3166-1 alfa-2)',
  },
  pt: {
    required: 'é obrigatório',
    long: 'tem mais de # caracteres',
    short: 'tem menos de # caracteres',
    min: 'é menor que #',
    max: 'é maior que #',
    option: 'não é uma das opções',
    pattern: 'não tem o formato pedido',
    email: 'não é um endereço de e‑mail',
    url: 'não é um endereço web',
    number: 'não é um número',
    rating: 'não é uma avaliação de 1 a 10',
    phone: 'não é um número de telefone',
    date: 'não é uma data (AAAA-MM-DD)',
    time: 'não é uma hora (HH:MM)',
    datetime: 'não é uma data com hora',
    country: 'não é um código de país (ISO 3166-1 alfa-2)',
  },
};

/** The message about a problem, as the end of a sentence or note that begins with the label of the field. */
export const messageOf = ({ message, limit }: Problem, language: Language): string =>
  MESSAGES[language][message].replace('#', String(limit));

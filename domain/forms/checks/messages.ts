import type { Language } from '../../../lib/text/languages.ts';
import type { Format } from './formats.ts';

export type MessageKey = 'required' | 'long' | 'short' | 'min' | 'max' | 'large' | 'option' | 'pattern' | Format;

/** What is wrong with a value: a stable code, and the message about it (`messageOf`). */
export interface Problem {
  code: 'required' | 'too_long' | 'too_short' | 'format' | 'not_an_option' | 'out_of_range' | 'too_large';
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
    large: 'is larger than # MiB',
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
    large: 'ist größer als # MiB',
    option: 'ist keine der Möglichkeiten',
    pattern: 'hat nicht das verlangte Format',
    email: 'ist keine E‑Mail-Adresse',
    url: 'ist keine Internetadresse',
    number: 'ist keine Zahl',
    rating: 'ist keine Bewertung von 1 bis 10',
    phone: 'ist keine Telefonnummer',
    date: 'ist kein Datum',
    time: 'ist keine Uhrzeit',
    datetime: 'ist kein Datum mit Uhrzeit',
    country: 'ist kein Land',
  },
  fr: {
    required: 'est obligatoire',
    long: 'a plus de # caractères',
    short: 'a moins de # caractères',
    min: 'est inférieur à #',
    max: 'est supérieur à #',
    large: 'dépasse # Mio',
    option: 'ne fait pas partie des choix',
    pattern: 'n’a pas le format demandé',
    email: 'n’est pas une adresse e‑mail',
    url: 'n’est pas une adresse web',
    number: 'n’est pas un nombre',
    rating: 'n’est pas une note de 1 à 10',
    phone: 'n’est pas un numéro de téléphone',
    date: 'n’est pas une date',
    time: 'n’est pas une heure',
    datetime: 'n’est pas une date avec heure',
    country: 'n’est pas un pays',
  },
  es: {
    required: 'es obligatorio',
    long: 'tiene más de # caracteres',
    short: 'tiene menos de # caracteres',
    min: 'es menor que #',
    max: 'es mayor que #',
    large: 'ocupa más de # MiB',
    option: 'no es una de las opciones',
    pattern: 'no tiene el formato requerido',
    email: 'no es una dirección de correo',
    url: 'no es una dirección web',
    number: 'no es un número',
    rating: 'no es una valoración del 1 al 10',
    phone: 'no es un número de teléfono',
    date: 'no es una fecha',
    time: 'no es una hora',
    datetime: 'no es una fecha con hora',
    country: 'no es un país',
  },
  pl: {
    required: 'pole wymagane',
    long: 'więcej niż # znaków',
    short: 'mniej niż # znaków',
    min: 'wartość mniejsza niż #',
    max: 'wartość większa niż #',
    large: 'więcej niż # MiB',
    option: 'to nie jest jedna z opcji',
    pattern: 'nieprawidłowy format',
    email: 'to nie jest adres e‑mail',
    url: 'to nie jest adres internetowy',
    number: 'to nie jest liczba',
    rating: 'to nie jest ocena od 1 do 10',
    phone: 'to nie jest numer telefonu',
    date: 'to nie jest data',
    time: 'to nie jest godzina',
    datetime: 'to nie jest data z godziną',
    country: 'to nie jest kraj',
  },
  pt: {
    required: 'é obrigatório',
    long: 'tem mais de # caracteres',
    short: 'tem menos de # caracteres',
    min: 'é menor que #',
    max: 'é maior que #',
    large: 'tem mais de # MiB',
    option: 'não é uma das opções',
    pattern: 'não tem o formato pedido',
    email: 'não é um endereço de e‑mail',
    url: 'não é um endereço web',
    number: 'não é um número',
    rating: 'não é uma avaliação de 1 a 10',
    phone: 'não é um número de telefone',
    date: 'não é uma data',
    time: 'não é uma hora',
    datetime: 'não é uma data com hora',
    country: 'não é um país',
  },
};

/** The message about a problem, as the end of a sentence or note that begins with the label of the field. */
export const messageOf = ({ message, limit }: Problem, language: Language): string =>
  MESSAGES[language][message].replace('#', String(limit));

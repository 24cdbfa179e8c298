import { isEmail, isWebAddress } from './addresses.ts';
import { COUNTRY_CODES } from './country-codes.ts';

/** Checks that the day exists: the date parser turns 30 February into a day in March. */
const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** Whether a text has the format of a field type; types that are not here accept any text. */
export const FORMATS = {
  email: isEmail,
  url: isWebAddress,
  number: (text) => /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)),
  rating: (text) => /^(10|[1-9])$/.test(text),
  phone: (text) => /^[+\d(][\d ()./-]{2,48}$/.test(text),
  date: isDay,
  time: (text) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(text),
  datetime: (text) =>
    isDay(text.slice(0, 10)) &&
    /^.{10}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):?[0-5]\d)?$/i.test(text),
  country: (text) => COUNTRY_CODES.includes(text),
} as const satisfies Record<string, (text: string) => boolean>;

export type Format = keyof typeof FORMATS;
export const isFormat = (type: string): type is Format => Object.prototype.hasOwnProperty.call(FORMATS, type);

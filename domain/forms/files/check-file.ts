import type { FormField } from '../../../db/entities/forms.ts';
import { contradicts, endingOf, inWords, isAccepted } from './media-types.ts';

/** A file that was sent for a field, with the type of its content. */
export interface SentFile {
  field: string;
  fileName: string;
  /** In bytes. */
  size: number;
  /** The maximum size in bytes. */
  limit: number;
  /** Null if the file was refused, so that it was not looked at; so is `sha256`. */
  mediaType: string | null;
  sha256: string | null;
  refused: 'too_large' | 'too_many' | null;
}

/** The maximum size of a file in bytes: the service's limit, or a lower one of the field. */
export const fileLimit = ({ maxBytes }: Pick<FormField, 'maxBytes'>, serviceLimit: number): number =>
  Math.min(maxBytes ?? serviceLimit, serviceLimit);

const UNITS = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const;
/** `10 MiB`, `1.5 KiB`, `999 bytes`. */
function bytesInWords(bytes: number): string {
  const [unit, size] = UNITS.find(([, least]) => bytes >= least) ?? ['bytes', 1];
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`;
}

/** The error of the files that were sent for a field, of which there may be none; null if there is none. */
export function fileError(
  { accept }: Pick<FormField, 'accept'>,
  files: readonly SentFile[],
): { code: string; message: string } | null {
  if (files.some(({ refused }) => refused === 'too_many'))
    return { code: 'too_many', message: 'takes one file, not several' };
  const [file] = files;
  if (!file) return null;
  if (file.refused || file.mediaType === null)
    return { code: 'too_large', message: `is larger than ${bytesInWords(file.limit)}` };
  const ending = endingOf(file.fileName);
  if (contradicts(ending, file.mediaType))
    return {
      code: 'file_type',
      message: `is not what its name ends with (.${ending}): it is ${inWords(file.mediaType)}`,
    };
  if (accept?.length && !isAccepted(accept, file.mediaType))
    return {
      code: 'file_type',
      message: `is ${inWords(file.mediaType)}; accepted are ${accept.join(', ')}`,
    };
  return null;
}

import { messageOf } from '../../../domain/forms/checks/messages.ts';
import type { Language } from '../../../lib/text/languages.ts';
import { isFormat } from '../../../domain/forms/checks/formats.ts';
import type { PublicField } from '../shared/definition.ts';

/**
 * An error of the server in a language. What is not among the checks of this field, such as the rules of the contact,
 * stays in English.
 */
export function translated(code: string, message: string, field: PublicField, language: Language): string {
  if (code === 'required') return messageOf({ code, message: 'required' }, language);
  if (code === 'not_an_option') return messageOf({ code, message: 'option' }, language);
  if (code !== 'format') return message;
  // A text that has the format of its type does not match the pattern.
  return messageOf(
    { code, message: isFormat(field.type) && !field.validationRegex ? field.type : 'pattern' },
    language,
  );
}

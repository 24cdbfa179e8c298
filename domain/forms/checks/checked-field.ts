/** What the checks need to know of a form's field, as the server stores it and the browser gets it. */
export interface CheckedField {
  name: string;
  type: string;
  required: boolean;
  minLength: number | null;
  maxLength: number | null;
  /** The range of a number or rating; absent in fields that were stored before there were ranges. */
  min?: number | null | undefined;
  max?: number | null | undefined;
  options: readonly { value: string }[] | null;
  validationRegex: string | null;
}

/** A value in its stored form: a list for multiselect, a boolean for checkbox and consent. */
export type SubmittedValue = string | number | boolean | string[];

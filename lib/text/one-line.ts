/**
 * For a class of a regular expression: control characters, tabs, line breaks (the separators of lines and paragraphs are
 * such too), and what turns the direction of the text around it. Without NUL.
 */
export const NOT_IN_A_LINE = '\\u0001-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069';

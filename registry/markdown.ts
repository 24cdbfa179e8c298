/** A text as Markdown that shows just this text: users type names, and the Temporal UI renders them. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#+\-.!|~&:]/g, '\\$&');
}

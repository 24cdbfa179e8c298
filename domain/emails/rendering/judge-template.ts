import { createLinkSigner } from '../../addresses/tokens.ts';
import { isPlain } from './is-plain.ts';
import { createEmailLinks } from './links.ts';
import { RULES, parseTime, type Judged } from './loop-permit.ts';
import { compileTemplate, type CompiledTemplate, type TemplateVersion } from './render.ts';

/** Where links stand in a template does not depend on what they lead to. */
const links = createEmailLinks({ publicUrl: 'https://example.com', signer: createLinkSigner({ secret: 'no email' }) });

/**
 * Whether the emails of a template, which passed checkTemplate, may be rendered on an event loop: to be found out in a
 * thread. Throws what `compileTemplate` throws.
 */
export function judgeTemplate(version: TemplateVersion): Judged {
  let compiled: CompiledTemplate | undefined;
  const parseMs = parseTime(
    () => (compiled = compileTemplate(version, { links })),
    () => compileTemplate(version, { links }),
  );
  const { subject, content, text, previewText } = version;
  // Otherwise each email is parsed, as HTML.
  const isFilled = compiled!.instrumented !== null && compiled!.text !== null;
  const isEachPlain = [subject, content, text ?? '', previewText ?? ''].every(isPlain);
  return { isPlain: isFilled && isEachPlain, parseMs, rules: RULES };
}

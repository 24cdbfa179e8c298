/**
 * Without specificity, so that any rule of the page is stronger. Colours, sizes and the font are custom properties;
 * directions are logical.
 */
const RULES = `
.perennial-form,.perennial-thanks,.perennial-failed{font:var(--perennial-font,inherit);color:var(--perennial-text,inherit);max-inline-size:var(--perennial-width,34rem);text-align:start;overflow-wrap:anywhere}
.perennial-field{border:0;margin:0 0 var(--perennial-gap,1.1rem);padding:0;min-inline-size:0}
.perennial-form label,.perennial-form legend{display:block;font-weight:600;margin:0 0 .25rem;padding:0}
.perennial-required{font-weight:400}
.perennial-form input:not([type=checkbox],[type=radio]),.perennial-form select,.perennial-form textarea{box-sizing:border-box;inline-size:100%;min-block-size:2.75rem;font:inherit;padding:.55rem .6rem;color:var(--perennial-field-text,#1f1f1f);background-color:var(--perennial-field-background,#fff);border:1px solid var(--perennial-border,#767676);border-radius:var(--perennial-radius,.3rem)}
.perennial-form input[type=checkbox],.perennial-form input[type=radio]{flex:none;inline-size:1.5rem;block-size:1.5rem;margin:0;accent-color:var(--perennial-accent,#174ea6)}
.perennial-form [aria-invalid=true]{border-color:var(--perennial-error,#b3261e)}
.perennial-choice{display:flex;flex-wrap:wrap;gap:.15rem .6rem;align-items:start}
.perennial-choice label{flex:1;font-weight:400;margin:0;padding-block-start:.2rem}
.perennial-choices{display:grid;gap:.6rem;max-block-size:18rem;overflow:auto;padding:.25rem}
.perennial-scale{display:flex;flex-wrap:wrap;gap:.6rem 1rem;padding:.25rem}
.perennial-error{flex-basis:100%;color:var(--perennial-error,#b3261e);margin:.25rem 0 0}
.perennial-summary:not(:empty){color:var(--perennial-error,#b3261e);border:1px solid;border-radius:var(--perennial-radius,.3rem);padding:.6rem .8rem;margin:0 0 var(--perennial-gap,1.1rem)}
.perennial-summary p,.perennial-summary ul{margin:0}
.perennial-summary ul{padding-inline-start:1.2rem}
.perennial-summary a{color:inherit}
.perennial-form button,.perennial-failed button{font:inherit;font-weight:600;min-block-size:2.75rem;padding:.6rem 1.4rem;border:0;border-radius:var(--perennial-radius,.3rem);color:var(--perennial-button-text,#fff);background-color:var(--perennial-accent,#174ea6);cursor:pointer}
.perennial-form button[aria-disabled]{opacity:.6;cursor:default}
.perennial-form .perennial-not-you{min-block-size:0;padding:0;font-weight:inherit;color:inherit;background:none;text-decoration:underline}
.perennial-known{margin:0 0 var(--perennial-gap,1.1rem)}
.perennial-status{margin:.5rem 0 0;min-block-size:1.5em}
.perennial-form :focus-visible,.perennial-thanks:focus-visible{outline:3px solid var(--perennial-focus,#4285f4);outline-offset:2px}
:where(.perennial-form) ::placeholder{color:inherit;opacity:.7}
`;

/** `.a,.b{…}` as `:where(.a,.b){…}`. */
const CSS = RULES.replace(/^(\.[^{\n]+)\{/gm, ':where($1){');

let sheet: CSSStyleSheet | undefined;

/** Gives the page, or the shadow tree around an element, our styles. A policy that forbids inline styles allows this. */
export function adoptStyle(element: Element): void {
  const root = element.getRootNode() as Document | ShadowRoot;
  if (!('adoptedStyleSheets' in root)) return;
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

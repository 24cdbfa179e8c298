import type { Language } from '../../lib/text/languages.ts';
import type { Imprint } from './imprint.ts';

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML content and quoted attributes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char]!);

const style = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:34rem;padding:2rem 1rem;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.25}
label,legend{display:block;font-weight:600;margin-bottom:.25rem}
fieldset{border:0;margin:0;padding:0}
legend{padding:0}
.field{margin:0 0 1.1rem}
.choice{display:flex;flex-wrap:wrap;gap:.15rem .6rem}
.group .choice{margin-bottom:.4rem}
.choice label{flex:1;font-weight:400;margin:0}
.choice .error{flex-basis:100%}
.required{font-weight:400}
.choices li{display:grid;grid-template-columns:auto 1fr;column-gap:.7rem;margin:0 0 .9rem}
.choices{list-style:none;margin:.7rem 0 0;padding:0}
.choices label{margin:0}
.choices input{width:1.15rem;height:1.15rem;margin:.2rem 0 0}
.choices .hint{grid-column:2;margin:0;white-space:pre-line}
input:where(:not([type=checkbox],[type=radio])),select,textarea{box-sizing:border-box;font:inherit;padding:.55rem .6rem;width:100%;border:1px solid #767676;border-radius:.3rem}
button{font:inherit;font-weight:600;padding:.65rem 1.4rem;border:0;border-radius:.3rem;background:#174ea6;color:#fff;cursor:pointer}
.plain{background:transparent;color:inherit;border:1px solid #767676}
.apart{margin-top:2.5rem;padding-top:.5rem;border-top:1px solid #767676}
table{width:100%;border-collapse:collapse}
th{text-align:start;padding:.5rem .3rem .5rem 0;vertical-align:top}
tbody th{font-weight:400}
thead th{white-space:nowrap}
thead th,tbody td{text-align:center;vertical-align:top;padding:.5rem .3rem}
tbody tr{border-top:1px solid #767676}
.topics input{width:1.15rem;height:1.15rem;margin:.2rem 0 0}
.topics .hint{margin:0;white-space:pre-line}
.times{display:grid;grid-template-columns:1fr 1fr;gap:0 1rem}
.quiet p{margin:0 0 .7rem}
.quiet label{font-weight:400}
h2{font-size:1.1rem;line-height:1.3}
:focus-visible{outline:3px solid #8ab4f8;outline-offset:2px}
.hint{margin:0 0 .4rem}
.notice{margin:0 0 1.1rem;padding:.7rem .9rem;border:2px solid #174ea6;border-radius:.3rem;font-weight:600}
.error{color:#b3261e;margin:.25rem 0 0}
.error p{margin:0}
.error a{color:inherit}
div.error{margin:0 0 1.1rem}
[aria-invalid=true]{border-color:var(--perennial-error,#b3261e)}
.error ul{margin:.25rem 0 0;padding-left:1.2rem}
.scale{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem}
:root{--perennial-field-background:Field;--perennial-field-text:FieldText;--perennial-width:none}
@media (prefers-color-scheme:dark){.notice{border-color:#8ab4f8}.error{color:#f2b8b5}:root{--perennial-error:#f2b8b5}}
header{margin:0 0 1.6rem;font-weight:600}
header img{display:block;max-width:min(100%,15rem);max-height:4rem}
footer{margin:3rem 0 0;padding:.9rem 0 0;border-top:1px solid #767676;font-size:.85rem}
.away{position:absolute;left:-6000px}`;

interface PagePolicy {
  /** Which pages may frame it; none by default. */
  frameAncestors?: string;
  /** Where a form may lead, besides us. */
  formTargets?: string;
  /** Whose logo it shows. */
  imprint?: Imprint | null;
  /** Further directives. */
  more?: readonly string[];
}

/**
 * The Content-Security-Policy of our own pages: only our styles, forms only to ourselves, pictures only from the origin
 * of the logo, and no scripts but those of `more`.
 */
export function pagePolicy({
  frameAncestors = "'none'",
  formTargets = '',
  imprint,
  more = [],
}: PagePolicy = {}): string {
  const images = imprint?.logoUrl ? new URL(imprint.logoUrl).origin : "'self'";
  return [
    `default-src 'none'; style-src 'unsafe-inline'; img-src ${images}; form-action 'self' ${formTargets}; base-uri 'none'; frame-ancestors ${frameAncestors}`,
    ...more,
  ].join('; ');
}

const PRIVACY: Record<Language, string> = {
  en: 'Privacy',
  de: 'Datenschutz',
  fr: 'Confidentialité',
  es: 'Privacidad',
  pl: 'Prywatność',
  pt: 'Privacidade',
};

/** The logo, or without one the name. */
const headerHtml = ({ name, logoUrl }: Imprint): string =>
  logoUrl
    ? `<header><img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}"></header>`
    : `<header><bdi>${escapeHtml(name)}</bdi></header>`;

/** Name, postal address and the link to what is done with personal data. */
function footerHtml({ name, postalAddress, privacyUrl }: Imprint, language: Language): string {
  const parts = [
    `<bdi>${escapeHtml(name)}</bdi>`,
    ...(postalAddress ? [`<bdi>${escapeHtml(postalAddress)}</bdi>`] : []),
    ...(privacyUrl ? [`<a href="${escapeHtml(privacyUrl)}" rel="noreferrer">${PRIVACY[language]}</a>`] : []),
  ];
  return `<footer>${parts.join(' · ')}</footer>`;
}

/** A plain, accessible page; `body` is HTML. With an imprint, it says whose page it is. */
export function htmlPage(title: string, body: string, lang: Language = 'en', imprint: Imprint | null = null): string {
  const icon = imprint?.logoUrl || '/favicon.svg';
  return `<!doctype html>
<html lang="${escapeHtml(lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><link rel="icon" href="${escapeHtml(icon)}"><style>${style}</style></head>
<body>${imprint ? headerHtml(imprint) : ''}<main>${body}</main>${imprint ? footerHtml(imprint, lang) : ''}</body></html>`;
}

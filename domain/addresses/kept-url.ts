const CONTACT_TOKEN = 'contactToken';
const PARTS = /^([^?#]*)(?:\?([^#]*))?(#[^]*)?$/;
const WEB_VIEW = /(\/api\/v1\/emails\/view)\/[\w-]+$/;

/** The name of a parameter, which may be percent-encoded. */
function nameOf(parameter: string): string {
  const name = parameter.split('=', 1)[0]!;
  return name.includes('%') ? ([...new URLSearchParams(name).keys()][0] ?? '') : name;
}

/**
 * The URL of a click or visit as it is stored and told: without what stands for its recipient, which is the parameter
 * `contactToken` and the token of the web view. So nobody who reads events gets a token, and the clicks of all
 * recipients on a link have the same URL. The rest is unchanged, byte for byte.
 */
export function keptUrl(url: string): string {
  const [, path = '', query, fragment = ''] = PARTS.exec(url) ?? [];
  const kept = query?.split('&').filter((parameter) => nameOf(parameter) !== CONTACT_TOKEN);
  const search = kept === undefined || kept.length === 0 ? '' : `?${kept.join('&')}`;
  return `${path.replace(WEB_VIEW, '$1')}${search}${fragment}`;
}

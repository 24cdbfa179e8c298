import { currentScriptUrl } from './script.ts';
import type { Captcha } from './shared/definition.ts';

/** What the widgets of the providers load, as they document it. */
const WIDGET_SOURCES: Record<Captcha['provider'], string> = {
  altcha: '',
  hcaptcha: ' https://hcaptcha.com https://*.hcaptcha.com',
  turnstile: ' https://challenges.cloudflare.com',
};

/** The directives of the hosted page's Content-Security-Policy that let the script of forms work. */
export function pageScripts(apiUrl: string, captcha: Captcha | null | undefined): string[] {
  const widget = captcha ? WIDGET_SOURCES[captcha.provider] : '';
  return [
    `script-src ${currentScriptUrl(apiUrl)}${widget}`,
    `connect-src ${new URL(apiUrl).origin}${widget}`,
    ...(widget ? [`frame-src${widget}`, `style-src-elem 'unsafe-inline'${widget}`] : []),
  ];
}

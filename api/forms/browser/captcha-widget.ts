import type { Proof } from './proof.ts';
import { make } from './dom.ts';
import { Failure } from './requests.ts';

/** What hCaptcha and Turnstile have in common. */
interface Widgets {
  render: (container: HTMLElement, options: Record<string, unknown>) => string;
  reset: (id: string) => void;
}

const PROVIDERS = {
  hcaptcha: { script: 'https://js.hcaptcha.com/1/api.js', field: 'h-captcha-response', language: 'hl' },
  turnstile: {
    script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
    field: 'cf-turnstile-response',
    language: 'language',
  },
};
const TIMEOUT_MS = 15_000;

interface ScriptUrls {
  createScriptURL: (url: string) => string;
}
declare global {
  interface Window {
    trustedTypes?: { createPolicy: (name: string, rules: ScriptUrls) => ScriptUrls };
  }
}
let policy: ScriptUrls | undefined;

/** A page that requires Trusted Types must allow the policy `perennial`. */
function trusted(url: string): string {
  if (!window.trustedTypes) return url;
  policy ??= window.trustedTypes.createPolicy('perennial', { createScriptURL: (allowed) => allowed });
  return policy.createScriptURL(url);
}

const loading = new Map<string, Promise<Widgets>>();

function loadScript(name: keyof typeof PROVIDERS): Promise<Widgets> {
  const loaded = (window as unknown as Record<string, Widgets | undefined>)[name];
  if (loaded) return Promise.resolve(loaded);
  return new Promise<void>((resolve, reject) => {
    const ready = `perennialReady_${name}`;
    Object.assign(window, { [ready]: resolve });
    const script = make('script');
    script.onerror = reject;
    script.src = trusted(`${PROVIDERS[name].script}?render=explicit&onload=${ready}`);
    document.head.append(script);
    setTimeout(reject, TIMEOUT_MS);
  }).then(() => (window as unknown as Record<string, Widgets>)[name]!);
}

function load(name: keyof typeof PROVIDERS): Promise<Widgets> {
  let pending = loading.get(name);
  if (!pending) {
    loading.set(name, (pending = loadScript(name)));
    // The next attempt tries again.
    pending.catch(() => loading.delete(name));
  }
  return pending;
}

/** The widget of a provider, loaded when it is first needed, before the form's button. */
export function createWidget(
  form: HTMLFormElement,
  provider: keyof typeof PROVIDERS,
  siteKey: string,
  language: string,
): Proof {
  const { field, language: languageOption } = PROVIDERS[provider];
  const container = make('div', { class: 'perennial-field', tabindex: -1 });
  let response: string | null = null;
  let shown: Promise<() => void> | null = null;
  const show = async (): Promise<() => void> => {
    const widgets = await load(provider);
    form.insertBefore(container, form.querySelector('[data-summary]'));
    const forget = (): void => {
      response = null;
    };
    const id = widgets.render(container, {
      sitekey: siteKey,
      [languageOption]: language,
      callback: (given: string) => {
        response = given;
      },
      'expired-callback': forget,
      'error-callback': forget,
    });
    return () => widgets.reset(id);
  };
  const begin = (): Promise<() => void> => {
    if (!shown) {
      shown = show();
      shown.catch(() => {
        shown = null;
      });
    }
    return shown;
  };
  return {
    begin: (): void => void begin().catch(() => {}),
    async take(): Promise<Record<string, string>> {
      await begin().catch(() => {
        throw new Failure('noProof');
      });
      if (response === null) throw new Failure('prove');
      return { [field]: response };
    },
    forget(): void {
      response = null;
      void shown?.then((reset) => reset());
    },
    isAutomatic: false,
  };
}

/**
 * The script of the embed code. It renders each form `<div data-perennial-form="{id}"></div>` of the page, makes the
 * hosted page's form work without leaving the page, and gives frames with hosted pages the height of their content.
 */
import { fitFrames } from './frames.ts';
import { make } from './dom.ts';
import { createMount } from './mount.ts';

declare global {
  interface Window {
    /** `mount(element)` renders the form of an element that was added later; resolves when it is there. */
    Perennial?: { mount: ReturnType<typeof createMount> };
  }
}

function start(script: HTMLScriptElement): void {
  // `/forms/assets/form-….js` is for all forms of the page, `/forms/{id}/script` for one.
  const [, base, id] = /^(.*\/forms)\/(?:(\d+)\/script|assets\/)/.exec(script.src) ?? [];
  if (base === undefined) return;
  if (!window.Perennial) {
    window.Perennial = { mount: createMount(base) };
    fitFrames(new URL(base).origin);
  }
  const { mount } = window.Perennial;
  const run = (): void => {
    const hosts = [...document.querySelectorAll<HTMLElement>(`[data-perennial-form${id ? `="${id}"` : ''}]`)];
    if (hosts.length === 0 && id) {
      const host = make('div', { 'data-perennial-form': id });
      script.before(host);
      hosts.push(host);
    }
    for (const host of hosts) void mount(host, base);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', run);
  else run();
}

if (document.currentScript instanceof HTMLScriptElement) start(document.currentScript);

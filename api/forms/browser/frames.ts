const ASK = 'perennial:height?';
const ANSWER = 'perennial:height=';
const MAX_HEIGHT = 20_000;

/** In the hosted page: tells a page around it how high its content is, now and after each change. */
export function tellHeight(): void {
  if (window.parent === window) return;
  const tell = (): void =>
    window.parent.postMessage(ANSWER + String(Math.ceil(document.body.getBoundingClientRect().height)), '*');
  window.addEventListener('message', ({ data }) => {
    if (data === ASK) tell();
  });
  if (window.ResizeObserver) new ResizeObserver(tell).observe(document.body);
  tell();
}

/** In the hosted page: leads its visitor on. In a frame, the whole page goes there, if that is not forbidden. */
export function leave(url: string): void {
  try {
    window.top!.location.href = url;
  } catch {
    window.location.href = url;
  }
}

/** In a page with hosted pages in frames: gives each frame the height of its content. */
export function fitFrames(origin: string): void {
  const frames = (): HTMLIFrameElement[] => [...document.querySelectorAll('iframe')];
  window.addEventListener('message', (event) => {
    if (event.origin !== origin || typeof event.data !== 'string' || !event.data.startsWith(ANSWER)) return;
    const height = Number(event.data.slice(ANSWER.length));
    const frame = frames().find(({ contentWindow }) => contentWindow === event.source);
    if (frame && height > 0 && height < MAX_HEIGHT) frame.height = String(height);
  });
  // One that was loaded before this script has told its height to nobody.
  for (const { src, contentWindow } of frames())
    if (src.startsWith(`${origin}/`)) contentWindow?.postMessage(ASK, origin);
}

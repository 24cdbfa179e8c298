/**
 * Tells the server which field was the last that a visitor touched before leaving without sending: its name, never its
 * value. On phones, a page that is left is often only hidden and never told that it ends; but so is one whose visitor
 * looks at something else for a moment: who comes back has not left, and that is told too. Returns how to note a touch;
 * once sent, nothing is told any more.
 */
export function createAbandonment(url: string, isSent: () => boolean): (field: string) => void {
  let last: string | null = null;
  /** The field that was told when the page was hidden. */
  let told: string | null = null;
  const tell = (field: string, returned?: true): void =>
    // As text, a beacon needs no preflight, for which a page that is going away has no time.
    void navigator.sendBeacon(`${url}/abandon`, JSON.stringify({ field, returned }));
  const leave = (): void => {
    if (last === null || isSent()) return;
    tell(last);
    told = last;
    last = null;
  };
  const comeBack = (): void => {
    if (told === null) return;
    tell(told, true);
    last ??= told;
    told = null;
  };
  document.addEventListener('visibilitychange', () => (document.visibilityState === 'hidden' ? leave : comeBack)());
  window.addEventListener('pagehide', leave);
  // Out of the browser's cache of pages that were left.
  window.addEventListener('pageshow', comeBack);
  return (field) => {
    last = field;
  };
}

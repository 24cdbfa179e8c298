/**
 * Tells the server which field was the last that a visitor touched before leaving without sending: its name, never its
 * value. Returns how to note a touch; once sent, nothing is told any more.
 */
export function createAbandonment(url: string, isSent: () => boolean): (field: string) => void {
  let last: string | null = null;
  const tell = (): void => {
    if (last === null || isSent()) return;
    // As text, a beacon needs no preflight, for which a page that is going away has no time.
    navigator.sendBeacon(`${url}/abandon`, JSON.stringify({ field: last }));
    last = null;
  };
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') tell();
  });
  window.addEventListener('pagehide', tell);
  return (field) => {
    last = field;
  };
}

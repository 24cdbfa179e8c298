/**
 * Loaded before the mail catcher. Its page shows an email in a frame that may neither open windows nor send forms, and
 * our pages may not be framed: with this, a link in an email opens in a new tab, as in a mail program.
 */
import { subscribe } from 'node:diagnostics_channel';

/** Runs in the catcher's page. The frame itself stays without scripts. */
const script = `<script>
document.addEventListener('load', ({ target }) => {
  const email = target instanceof HTMLIFrameElement ? target.contentDocument : null;
  email?.addEventListener('click', (event) => {
    const link = event.target.closest('a[href], area[href]');
    if (!link || !/^https?:$/.test(new URL(link.href, 'about:blank').protocol)) return;
    event.preventDefault();
    window.open(link.href, '_blank', 'noopener');
  });
}, true);
</script>`;

interface Server {
  addHook: (name: 'onSend', hook: (request: unknown, reply: unknown, payload: unknown) => Promise<unknown>) => void;
}

// How Fastify, which serves that page, lets others add to a server.
subscribe('fastify.initialization', (message) => {
  (message as { fastify: Server }).fastify.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' && payload.includes('<div id="root">')
      ? payload.replace('</head>', () => `${script}</head>`)
      : payload,
  );
});

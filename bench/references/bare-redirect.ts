/** What `bench/clicks.ts` measures the API beside: bare Koa that redirects to wherever the query says. */
import Koa from 'koa';

new Koa().use((ctx) => ctx.redirect(String(ctx.query['url']))).listen(Number(process.env['PORT']), '127.0.0.1');

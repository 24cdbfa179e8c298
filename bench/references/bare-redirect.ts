/** The reference of `bench/clicks.ts`: bare Koa that redirects to the URL in the query. */
import Koa from 'koa';

new Koa().use((ctx) => ctx.redirect(String(ctx.query['url']))).listen(Number(process.env['PORT']), '127.0.0.1');

import { once } from 'node:events';
import { connect, constants, createServer, type IncomingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';

/**
 * A way to Temporal that refuses some methods, as its authorizer does for a login without the right. Returns its address
 * and how to close it.
 */
export async function deniedTemporal(
  address: string,
  methods: readonly string[],
): Promise<{ address: string; close: () => void }> {
  const far = connect(`http://${address}`);
  far.on('error', () => {});
  const sessions = new Set<{ destroy: () => void }>([far]);
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
  });
  server.on('stream', (near, headers) => {
    near.on('error', () => {});
    if (methods.some((method) => headers[':path']?.endsWith(`/${method}`))) {
      const refusal = { 'grpc-status': '7', 'grpc-message': 'Request unauthorized.' };
      return near.respond({ ':status': 200, 'content-type': 'application/grpc', ...refusal }, { endStream: true });
    }
    const onward = far.request(headers);
    let trailers: IncomingHttpHeaders = {};
    onward.on('error', () => near.close(constants.NGHTTP2_INTERNAL_ERROR));
    onward.on('response', (answer, flags) => {
      if (flags & constants.NGHTTP2_FLAG_END_STREAM) return near.respond(answer, { endStream: true });
      near.respond(answer, { waitForTrailers: true });
      onward.pipe(near);
    });
    onward.on('trailers', (last) => (trailers = last));
    near.on('wantTrailers', () => near.sendTrailers(trailers));
    near.on('close', () => onward.close());
    near.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      for (const session of sessions) session.destroy();
    },
  };
}

import http from 'node:http';

interface Post {
  url: string;
  headers: Record<string, string | number>;
  body: string | Buffer;
}

/**
 * Posts `count` bodies by node:http alone over so many connections, each prepared just before. Prints the seconds that
 * it took, and the CPU seconds of this process.
 */
export async function postAll(count: number, connections: number, prepare: (n: number) => Post): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const post = (n: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const { url, headers, body } = prepare(n);
      const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', resolve);
      });
      request.on('error', reject);
      request.end(body);
    });
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < count) await post((next += 1));
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${seconds} ${(user + system) / 1e6}`);
  agent.destroy();
}

import type http from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Bounds how many connections these agents keep idle, over all hosts: for one more, the one that has been idle longest
 * is closed. So many hosts that are called once do not displace those that are called often.
 */
export function boundIdleConnections(agents: readonly http.Agent[], most: number): void {
  // In the order in which they became idle.
  const idle = new Set<Duplex>();
  function forget(this: Duplex): void {
    idle.delete(this);
  }
  for (const agent of agents) {
    // The two methods by which Node lets an agent decide about connections that become idle and are used again.
    const keepSocketAlive = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
    const reuseSocket = agent.reuseSocket.bind(agent);
    const keep = (socket: Duplex): boolean => {
      if (!keepSocketAlive(socket)) return false;
      idle.add(socket);
      socket.once('close', forget);
      const [longest] = idle;
      if (idle.size > most && longest) {
        idle.delete(longest);
        longest.destroy();
      }
      return true;
    };
    agent.keepSocketAlive = keep;
    agent.reuseSocket = (socket, request) => {
      idle.delete(socket);
      socket.off('close', forget);
      reuseSocket(socket, request);
    };
  }
}

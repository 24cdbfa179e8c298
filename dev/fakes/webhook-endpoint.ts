import { Webhook } from 'standardwebhooks';
import { startFake, type Fake, type FakeAnswer, type FakeOptions, type FakeRequest } from './fake-server.ts';

/** A webhook that came with a right signature. */
export interface AcceptedWebhook {
  at: number;
  /** The same at every attempt. */
  id: string;
  sequence: number;
  type: string;
  data: Record<string, unknown>;
}

export interface FakeWebhookEndpoint extends Fake<AcceptedWebhook> {
  /** Verifies by this secret from now on; before, nothing is accepted. */
  trust: (secret: string) => void;
}

/** Somebody else's server that is told of events, and accepts only what is signed (Standard Webhooks 1.0). */
export async function startWebhookEndpoint(options: FakeOptions = {}): Promise<FakeWebhookEndpoint> {
  let verifier: Webhook | null = null;

  function handle({ method, headers, body }: FakeRequest): FakeAnswer<AcceptedWebhook> {
    if (method !== 'POST') return { status: 405 };
    // To be tried again.
    if (verifier === null) return { status: 503 };
    try {
      const told = verifier.verify(body.toString(), headers as Record<string, string>) as Omit<AcceptedWebhook, 'id'>;
      const { sequence, type, data } = told;
      return { status: 204, accepts: { at: Date.now(), id: String(headers['webhook-id']), sequence, type, data } };
    } catch {
      return { status: 401 };
    }
  }

  const fake = await startFake<AcceptedWebhook>(options, () => true, handle);
  return { ...fake, trust: (secret) => void (verifier = new Webhook(secret)) };
}

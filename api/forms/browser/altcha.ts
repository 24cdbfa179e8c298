import type { Proof } from './proof.ts';
import { getJson } from './requests.ts';
import { sha256 } from './sha256.ts';

interface Challenge {
  algorithm: string;
  challenge: string;
  maxnumber?: number;
  salt: string;
  signature: string;
}

/** For how long the page may stand still, and the pause in which it does everything else. */
const CHUNK_MS = 12;
const MOST = 1_000_000;

/** The number whose hash with the salt is the challenge: null if there is none. Leaves the page responsive. */
export async function solve({ challenge, salt, maxnumber = MOST }: Challenge): Promise<number | null> {
  const wanted = challenge.match(/.{8}/g)!.map((word) => parseInt(word, 16) | 0);
  const encoder = new TextEncoder();
  let until = Date.now() + CHUNK_MS;
  for (let number = 0; number <= maxnumber; number += 1) {
    const hash = sha256(encoder.encode(salt + String(number)));
    if (wanted.every((word, index) => word === hash[index])) return number;
    if (number % 64 === 0 && Date.now() > until) {
      await new Promise((resolve) => setTimeout(resolve));
      until = Date.now() + CHUNK_MS;
    }
  }
  return null;
}

/** Whether the time limit in a salt, `?expires=` with a Unix time in seconds, has passed. */
const isExpired = ({ salt }: Challenge): boolean => {
  const limit = /[?&]expires=(\d+)/.exec(salt);
  return limit !== null && Number(limit[1]) * 1000 < Date.now() + 5000;
};

async function prove(url: string): Promise<{ challenge: Challenge; proof: string }> {
  const challenge = await getJson<Challenge>(`${url}/captcha`);
  const { algorithm, salt, signature } = challenge;
  const solution = { algorithm, challenge: challenge.challenge, number: await solve(challenge), salt, signature };
  return { challenge, proof: btoa(JSON.stringify(solution)) };
}

/** ALTCHA, which the visitor's browser solves by computing. */
export function createAltcha(url: string): Proof {
  let pending: ReturnType<typeof prove> | null = null;
  const begin = (): NonNullable<typeof pending> => {
    if (!pending) {
      const begun = (pending = prove(url));
      begun.catch(() => {
        if (pending === begun) pending = null;
      });
    }
    return pending;
  };
  return {
    begin: (): void => void begin().catch(() => {}),
    async take(): Promise<Record<string, string>> {
      let proved = await begin();
      if (isExpired(proved.challenge)) {
        pending = null;
        proved = await begin();
      }
      return { altcha: proved.proof };
    },
    forget: (): void => {
      pending = null;
    },
    isAutomatic: true,
  };
}

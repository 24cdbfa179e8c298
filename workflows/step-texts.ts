/** Temporal limits a summary to 400 bytes: a step's id has at most 64, a character at most 4. */
const SHOWN = 80;

/** How the Temporal UI names a step in the timeline: `pause – wait 3 days`. A campaign may have several such waits. */
export function stepSummary({ stepId, summary }: { stepId: string; summary: string }): string {
  return `${stepId} – ${[...summary].slice(0, SHOWN).join('')}`;
}

/** `2026-11-28 00:53 UTC` for a date-time in UTC. */
export function pointInTime(dateTime: string): string {
  return `${dateTime.slice(0, 16).replace('T', ' ')} UTC`;
}

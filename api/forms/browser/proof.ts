/** How a form gets the proof that its visitor is no robot. */
export interface Proof {
  /** Begins when the visitor first touches the form. */
  begin: () => void;
  /** The proof, as fields of the submission. Throws a Failure. */
  take: () => Promise<Record<string, string>>;
  /** After it was sent: a proof counts once. */
  forget: () => void;
  /** Needs no visitor, so a refused proof can be replaced at once. */
  isAutomatic: boolean;
}

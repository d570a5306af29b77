import type { TaskInfo } from "../../../wire/http/api.ts";
import { shortened } from "../text/printable.ts";

/** The place where the journal of a task breaks off: what follows can't be read. A torn end is repaired when it is opened. */
export function DamageNotice({ problem }: { readonly problem: TaskInfo["problem"] | undefined }) {
  if (problem === undefined || problem.kind === "torn") return null;
  return (
    <p className="sb-transcript-notice" role="alert">
      The journal is damaged: {shortened(problem.reason, 300)}. Later records can't be read.
    </p>
  );
}

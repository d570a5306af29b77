import { useState } from "react";
import { plural } from "../../../present/plural.ts";
import type { CheckpointDiffInfo } from "../../../wire/http/api.ts";
import { clock } from "../model/format.ts";
import type { TaskActions } from "../source.ts";
import { Diff } from "../text/diff.tsx";
import { printable, shortened } from "../text/printable.ts";
import { useRequests } from "./use-requests.ts";

/** A checkpoint of the task's files. */
export interface Checkpoint {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface CheckpointsProps {
  readonly taskId: string;
  /** Oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  readonly actions: TaskActions;
  readonly onError: (message: string) => void;
}

/** A checkpoint that was compared with the present files. */
interface Compared {
  readonly hash: string;
  readonly diff: CheckpointDiffInfo;
}

/** The checkpoints of a task: each is compared with the present files before it is restored, and a restore is undone. */
export function Checkpoints({ taskId, checkpoints, actions, onError }: CheckpointsProps) {
  const [compared, setCompared] = useState<Compared>();
  const [undo, setUndo] = useState<string>();
  const { isBusy, run } = useRequests(onError);
  const compare = (hash: string): void =>
    run(async () => setCompared({ hash, diff: await actions.diffCheckpoint(taskId, hash) }));
  const restore = ({ hash, diff }: Compared): void =>
    run(async () => {
      const restored = await actions.restoreCheckpoint(taskId, hash, diff.present);
      setCompared(undefined);
      setUndo(restored.undo);
      const [failed] = restored.failed;
      if (failed !== undefined)
        throw new Error(`${printable(failed.path)} was not restored: ${printable(failed.why)}`);
    });
  return (
    <section className="sb-group sb-checkpoints" aria-label="Checkpoints">
      <h4>checkpoints</h4>
      {undo !== undefined && (
        <p role="status">
          The files are restored.{" "}
          <button type="button" disabled={isBusy} onClick={() => compare(undo)}>
            Undo …
          </button>
        </p>
      )}
      <ul>
        {checkpoints.toReversed().map(({ hash, at }) => (
          <li key={hash}>
            <button type="button" disabled={isBusy} onClick={() => compare(hash)}>
              Compare {clock(at)}
            </button>{" "}
            <code>{shortened(hash, 12)}</code>
          </li>
        ))}
      </ul>
      {compared !== undefined && (
        <Comparison
          {...compared}
          isBusy={isBusy}
          onRestore={() => restore(compared)}
          onClose={() => setCompared(undefined)}
        />
      )}
    </section>
  );
}

interface ComparisonProps extends Compared {
  readonly isBusy: boolean;
  readonly onRestore: () => void;
  readonly onClose: () => void;
}

/** The changes that a restore would make. */
function Comparison({ hash, diff: { files, text }, isBusy, onRestore, onClose }: ComparisonProps) {
  const count = files.added.length + files.changed.length + files.removed.length;
  return (
    <section aria-label={`Restore of ${shortened(hash, 12)}`}>
      <p>
        {count === 0 ? "The files match this checkpoint." : `A restore changes ${plural(count, "file")}:`}
      </p>
      {count > 0 && <Diff diff={text} />}
      {count > 0 && (
        <button type="button" className="sb-main" disabled={isBusy} onClick={onRestore}>
          Restore
        </button>
      )}
      <button type="button" onClick={onClose}>
        Close
      </button>
    </section>
  );
}

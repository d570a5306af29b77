import { useState } from "react";
import { judgedText, replaySentence } from "../../../../present/replay-sentence.ts";
import type { ReplayChange, Replayed } from "../../../../wire/http/permission-replay.ts";
import { useRequests } from "../../actions/use-requests.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PageSource } from "../../source.ts";
import { shortened } from "../../text/printable.ts";

export interface PermissionsTrialProps {
  readonly trace: TraceSnapshot;
  /** The rule to begin with; empty for none. */
  readonly rule: string;
  readonly workspace: string | undefined;
  readonly replay: NonNullable<PageSource["replayPermissions"]>;
  readonly onGo: (seq: number) => void;
}

/** Maximum changes that are shown. */
const SHOWN_MAX = 50;

/** The question what a rule would have changed in the calls of this task, or of all tasks of its workspace. */
export function PermissionsTrial({ trace, rule: first, workspace, replay, onGo }: PermissionsTrialProps) {
  const [rule, setRule] = useState(first);
  const [level, setLevel] = useState<"allow" | "deny">("allow");
  const [result, setResult] = useState<{ readonly sentence: string; readonly replayed: Replayed }>();
  const [problem, setProblem] = useState("");
  const { isBusy, run } = useRequests(setProblem);
  const attempt = (where: { readonly taskId: string } | { readonly workspace?: string }): void => {
    const tried = { [level]: [rule] };
    setResult(undefined);
    run(async () => {
      const replayed = await replay({ ...where, ...tried });
      setResult({ sentence: replaySentence(replayed.summary, tried), replayed });
    });
  };
  const inTask = { taskId: trace.taskId };
  return (
    <>
      <h3>With this rule …</h3>
      <form
        className="why-rule"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(inTask);
        }}
      >
        <select
          aria-label="Effect of the rule"
          value={level}
          onChange={({ target }) => setLevel(target.value === "deny" ? "deny" : "allow")}
        >
          <option>allow</option>
          <option>deny</option>
        </select>
        <input
          aria-label="Rule"
          value={rule}
          placeholder="command(npm test *)"
          spellCheck={false}
          onChange={({ target }) => setRule(target.value)}
        />
        <button type="submit" disabled={isBusy || rule.trim() === ""}>
          Try it on this task
        </button>
        {workspace !== undefined && (
          <button
            type="button"
            disabled={isBusy || rule.trim() === ""}
            onClick={() => attempt({ workspace })}
          >
            On all tasks of this workspace
          </button>
        )}
      </form>
      <div aria-live="polite">
        {problem !== "" && <p className="why-broken">{shortened(problem, 600)}</p>}
        {result !== undefined && (
          <>
            <p>{result.sentence}</p>
            <p className="sb-dim">Paths were resolved as they are now. Nothing was changed.</p>
            <Changes trace={trace} replayed={result.replayed} onGo={onGo} />
          </>
        )}
      </div>
    </>
  );
}

interface ChangesProps extends Pick<PermissionsTrialProps, "trace" | "onGo"> {
  readonly replayed: Replayed;
}

function Changes({ trace, replayed: { changes, more, skipped }, onGo }: ChangesProps) {
  const shown = changes.slice(0, SHOWN_MAX);
  const others = changes.length - shown.length + more;
  return (
    <>
      <ul className="why-changes" aria-label="Calls that change">
        {shown.map((change) => (
          <li key={`${change.taskId} ${change.callId}`}>
            <Place change={change} trace={trace} onGo={onGo} /> {shortened(judgedText(change.recorded), 200)}{" "}
            → {shortened(judgedText(change.now), 200)}
            {change.cause === "settings" && <span className="sb-dim"> (by the settings of today)</span>}
          </li>
        ))}
      </ul>
      {others > 0 && <p className="sb-dim">{others} more</p>}
      {skipped.length > 0 && (
        <p className="sb-dim">
          Damaged journals were skipped: {skipped.map(({ taskId }) => taskId).join(", ")}
        </p>
      )}
    </>
  );
}

/** A call, as a link to its decision. */
function Place({ change, trace, onGo }: Omit<ChangesProps, "replayed"> & { readonly change: ReplayChange }) {
  const { taskId, record, tool, target } = change;
  const text = shortened(`${tool} ${target}`, 120);
  const event = taskId === trace.taskId ? trace.index.eventOf(record) : undefined;
  if (event !== undefined)
    return (
      <button type="button" className="sb-link" onClick={() => onGo(event)}>
        {text}
      </button>
    );
  return <a href={`#task=${encodeURIComponent(taskId)}&at=${record}`}>{text}</a>;
}

import type { TaskInfo } from "../../../../wire/http/api.ts";
import type { TraceSnapshot } from "../../model/trace-snapshot.ts";
import type { PageSource } from "../../source.ts";
import { openAsks } from "../../sources/task-info.ts";
import { PermissionsGrounds } from "./permissions-grounds.tsx";
import { PermissionsTrial } from "./permissions-trial.tsx";
import "./permissions.css";

export interface PermissionsPanelProps {
  readonly trace: TraceSnapshot;
  readonly at: number;
  readonly source: PageSource | undefined;
  /** The entry of the task in the task list: it has the rules that would allow an open ask. */
  readonly info: TaskInfo | undefined;
  readonly onGo: (seq: number) => void;
}

/** The judges of the call that the current event asks about or decides, and a rule to try on recorded calls. */
export function PermissionsPanel({ trace, at, source, info, onGo }: PermissionsPanelProps) {
  const callId = callAt(trace, at);
  const replay = source?.replayPermissions;
  if (callId === undefined || replay === undefined) return null;
  const [rule = ""] = info?.asks.find((ask) => ask.callId === callId)?.rules ?? [];
  const { taskId } = trace;
  return (
    <section className="why-permissions" aria-label="Permissions">
      <PermissionsGrounds
        key={`${taskId} ${callId}`}
        taskId={taskId}
        callId={callId}
        at={at}
        replay={replay}
      />
      <PermissionsTrial
        key={`${taskId} ${rule}`}
        trace={trace}
        rule={rule}
        workspace={workspaceOf(trace)}
        replay={replay}
        onGo={onGo}
      />
    </section>
  );
}

/** The call of the open ask, or the call that the event decides. */
function callAt(trace: TraceSnapshot, at: number): string | undefined {
  const [ask] = openAsks(trace, at);
  if (ask?.callId !== undefined) return ask.callId;
  const { record } = trace.event(at);
  if (record.kind !== "commit") return undefined;
  const denied = record.calls.find((call) => call.phase === "settled" && call.outcome.kind === "denied");
  return record.decisions[0]?.callId ?? denied?.callId;
}

function workspaceOf(trace: TraceSnapshot): string | undefined {
  const { record } = trace.event(0);
  return record.kind === "header" ? record.workspace : undefined;
}

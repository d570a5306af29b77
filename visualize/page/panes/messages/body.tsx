import type { ReactNode } from "react";
import { z } from "zod";
import type { ClineMessage } from "../../../../machines/message/index.ts";
import { duration } from "../../model/format.ts";
import { Diff, Folded, isDiff, Json, jsonOf, Output, Plain, SafeMarkdown, Short } from "../../text/index.ts";
import { CallBody } from "./call-body.tsx";
import { mcpCallOf, questionOf } from "./descriptor.ts";
import { RequestBody } from "./request-body.tsx";

export interface BodyProps {
  readonly row: ClineMessage;
  readonly position: number;
}

/** What a row says, after its kind. A row of a kind that nobody knows says its text. */
export function Body({ row, position }: BodyProps): ReactNode {
  const text = row.text ?? "";
  if (row.type === "ask") return <AskBody ask={row.ask} text={text} />;
  return position === 0 && row.say === "text" ? <Words text={text} /> : <SayBody row={row} text={text} />;
}

function AskBody({ ask, text }: { readonly ask: string | undefined; readonly text: string }): ReactNode {
  switch (ask) {
    case "followup":
      return <Question text={text} />;
    case "command":
      return <Command text={text} />;
    case "command_output":
      return <Output text={text} />;
    case "tool":
      return <CallBody text={text} />;
    case "use_mcp_server":
      return <McpCall text={text} />;
    default:
      return <Words text={text} />;
  }
}

function SayBody({ row, text }: { readonly row: ClineMessage; readonly text: string }): ReactNode {
  switch (row.say) {
    case "text":
    case "completion_result":
    case "subtask_result":
      return <SafeMarkdown text={text} isGrowing={row.partial === true} />;
    case "reasoning":
      return <Thinking text={text} isGrowing={row.partial === true} />;
    case "api_req_started":
      return <RequestBody row={row} />;
    case "api_req_retry_delayed":
      return <Retry text={text} />;
    case "api_req_rate_limit_wait":
      return <RateLimit text={text} />;
    case "command_output":
      return <CommandEnd text={text} exitCode={row.exitCode} />;
    case "tool":
    case "user_feedback_diff":
    case "user_edit_todos":
      return <CallBody text={text} />;
    case "checkpoint_saved":
      return <code>{<Short text={text} maxChars={24} />}</code>;
    case "mcp_server_response":
    case "codebase_search_result":
      return <Value text={text} />;
    case "diff_error":
      return isDiff(text) ? <Diff diff={text} /> : <Words text={text} />;
    default:
      return <Words text={text} />;
  }
}

function Words({ text }: { readonly text: string }): ReactNode {
  if (text === "") return null;
  return (
    <p className="messages-pre">
      <Plain text={text} />
    </p>
  );
}

function Question({ text }: { readonly text: string }): ReactNode {
  const { question, suggest } = questionOf(text);
  return (
    <>
      <SafeMarkdown text={question} />
      {suggest.length > 0 && (
        <ol className="messages-answers">
          {suggest.slice(0, 20).map(({ answer, mode }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a suggested answer is its number
            <li key={index}>
              <Plain text={answer} maxChars={500} />
              {typeof mode === "string" && (
                <span className="messages-muted">
                  {" "}
                  in mode <Short text={mode} />
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

function Command({ text }: { readonly text: string }): ReactNode {
  if (text === "") return null;
  return (
    <pre className="messages-command">
      <Plain text={text} />
    </pre>
  );
}

function CommandEnd({
  text,
  exitCode,
}: {
  readonly text: string;
  readonly exitCode: number | undefined;
}): ReactNode {
  const tone = exitCode === 0 ? "good" : exitCode === undefined ? "quiet" : "bad";
  const how = exitCode === undefined ? "ended from outside" : `exit code ${exitCode}`;
  return (
    <>
      <Output text={text} />
      <span className={`messages-chip messages-tone-${tone}`}>{how}</span>
    </>
  );
}

/** The head of a thought in its folded line, in UTF-16 units. */
const THOUGHT_HEAD_CHARS = 90;

function Thinking({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }): ReactNode {
  return (
    <Folded
      className={isGrowing ? "text-growing" : ""}
      summary={
        <span className="messages-thought">
          <Short text={text} maxChars={THOUGHT_HEAD_CHARS} />
        </span>
      }
    >
      {() => <SafeMarkdown text={text} />}
    </Folded>
  );
}

const RETRY_TIMER = /\s*<retry_timer>(\d{1,9})<\/retry_timer>/;

/** The family writes the seconds to wait in a tag of its own. */
function Retry({ text }: { readonly text: string }): ReactNode {
  const seconds = RETRY_TIMER.exec(text)?.[1];
  return (
    <>
      <Words text={text.replace(RETRY_TIMER, "")} />
      {seconds !== undefined && (
        <span className="messages-chip messages-tone-warn">
          next attempt in {duration(Number(seconds) * 1_000)}
        </span>
      )}
    </>
  );
}

const waitSchema = z.object({ seconds: z.number() });

function RateLimit({ text }: { readonly text: string }): ReactNode {
  const parsed = waitSchema.safeParse(jsonOf(text));
  return parsed.success ? (
    <span className="messages-chip messages-tone-warn">{duration(parsed.data.seconds * 1_000)}</span>
  ) : (
    <Words text={text} />
  );
}

function McpCall({ text }: { readonly text: string }): ReactNode {
  const call = mcpCallOf(text);
  if (call === undefined) return <Words text={text} />;
  const given =
    typeof call.arguments === "string" ? (jsonOf(call.arguments) ?? call.arguments) : call.arguments;
  return (
    <>
      <p className="messages-call">
        <b>
          <Short text={call.serverName} />
        </b>
        {call.toolName !== undefined && <code>{<Short text={call.toolName} />}</code>}
        {call.uri !== undefined && <code>{<Short text={call.uri} maxChars={120} />}</code>}
      </p>
      {given !== undefined && <Json value={given} isBare />}
    </>
  );
}

function Value({ text }: { readonly text: string }): ReactNode {
  const value = jsonOf(text);
  return typeof value === "object" && value !== null ? <Json value={value} /> : <Output text={text} />;
}

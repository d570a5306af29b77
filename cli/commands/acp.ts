import path from "node:path";
import { Readable, Writable } from "node:stream";
import { MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { createHost, type Host } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { fileJournals } from "../../server/server.ts";
import type { SelectedMcpServers } from "../../settings/mcp.ts";
import { createModes } from "../../tools/modes/modes.ts";
import { AcpAgent } from "../acp/agent.ts";
import { orderedStream } from "../acp/ordered-stream.ts";
import type { SessionRequest, SessionSource, SessionTask } from "../acp/session-source.ts";
import { createDataFolder } from "../data-folder.ts";
import { EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { closeHost, Exit, listenToSignals } from "../run/exit.ts";
import { openMcp } from "../run/mcp.ts";
import { openProvider } from "../run/provider.ts";
import { formatDropped, openSession } from "../run/session.ts";
import type { RunSettings } from "../run/settings.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import { readSettings } from "../settings/run-settings.ts";
import type { Define } from "./command.ts";

/** Parsed flags of `acp`. The client names the workspace of each session. */
type AcpFlags = Omit<TaskFlags, "workspace">;

export const define: Define = (command, { io, end }) => {
  addTaskOptions(command, ["workspace"]).action(async (flags: AcpFlags) => end(await acp(flags, io)));
};

/**
 * Serve one client of the Agent Client Protocol on stdin and stdout, until it ends its input or a signal comes. Then
 * every task is cancelled and settles.
 */
async function acp(flags: AcpFlags, io: Io): Promise<number> {
  const dataDir = path.resolve(flags.dataDir);
  createDataFolder(dataDir);
  const report = (message: string): void => {
    io.stderr.write(formatCliError(message));
  };
  const host = createHost({
    dataDir,
    onError: (error, id) => report(`task ${id} failed: ${errorMessage(error)}`),
  });
  const source = sessionSource(host, { ...flags, dataDir }, io);
  const agent = new AcpAgent({ host, source, report, journal: fileJournals(dataDir) });
  const stream = ndJsonStream(Writable.toWeb(io.stdout), Readable.toWeb(io.stdin));
  const connection = agent.app.connect(orderedStream(stream));
  const exit = new Exit();
  const unlisten = listenToSignals(io, exit);
  connection.signal.addEventListener("abort", () => {
    const { reason } = connection.signal;
    const isTooLarge = reason instanceof MessageTooLargeError;
    if (isTooLarge) report(reason.message);
    exit.leave(isTooLarge ? EXIT.failed : EXIT.done);
  });
  const code = await exit.code;
  await agent.close();
  const isWritten = await closeHost(host, io);
  connection.close();
  unlisten();
  return isWritten ? code : EXIT.failed;
}

/** Sessions with the settings of their workspaces. */
function sessionSource(host: Host, flags: AcpFlags, io: Io): SessionSource {
  const settingsIn = (more: { workspace?: string; sessionId?: string; createWithSessionId?: string }) =>
    readSettings(undefined, { ...flags, ...more, outputFormat: "text", tui: true }, io);
  return {
    history: openHistory({ dataDir: flags.dataDir }),
    async authenticate() {
      await settingsIn({});
    },
    async open({ id, isNew, cwd, editor, mcp: given, signal }: SessionRequest): Promise<SessionTask> {
      const settings = await settingsIn({
        workspace: cwd,
        ...(isNew ? { createWithSessionId: id } : { sessionId: id }),
      });
      const open: { close(): Promise<void> }[] = [];
      const release = async (): Promise<void> => {
        for (const each of open.splice(0).reverse()) await each.close();
      };
      try {
        const provider = openProvider(settings.model);
        open.push(provider);
        const warnings: string[] = [];
        const servers = withServers(settings.mcp, given);
        const mcp = await openMcp(servers, settings.task.configDir, (text) => warnings.push(text), signal);
        open.push(mcp);
        const workspace = editor === undefined ? cwd : { root: cwd, editor };
        const options = { ...provider.models, ...mcp.options, workspace };
        const task = await openSession(host, isNew ? undefined : id, settings, options);
        io.stderr.write(formatDropped(task));
        return {
          task,
          modes: createModes(settings.task.modes),
          commands: mcp.commands(settings.commands)?.list ?? [],
          offersRules: settings.rules.isAlwaysOffered,
          warnings,
          release,
        };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

const withServers = (
  settings: RunSettings["mcp"],
  { servers, problems }: SelectedMcpServers,
): RunSettings["mcp"] => ({
  ...settings,
  servers: { ...settings.servers, ...servers },
  problems: [...settings.problems, ...problems],
});

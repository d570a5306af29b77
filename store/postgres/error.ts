import { SignalboxError } from "../../machines/signalbox-error.ts";
import { systemCode } from "../files/system-code.ts";

/** Reason why a database can't be used. */
export type PostgresErrorCode =
  /** No server, name, password or database as the URL says. The message says which. Correct it, then try again. */
  | "DATABASE_UNREACHABLE"
  /** The user lacks rights. Grant the rights that the message names. */
  | "DATABASE_DENIED"
  /** The server is a replica or read-only. Connect to the primary. */
  | "DATABASE_READ_ONLY"
  /** The server confirms commits before they are durable. Turn on `fsync` and `synchronous_commit`. */
  | "DATABASE_NOT_DURABLE"
  /** The schema has no tables of this package. Run `signalbox db migrate`. */
  | "DATABASE_EMPTY"
  /** An earlier version of the package made the tables. Run `signalbox db migrate`. */
  | "DATABASE_OLDER"
  /** A later version of the package made the tables. Use that version. */
  | "DATABASE_NEWER"
  /** A statement failed. The message has the server's reason. */
  | "DATABASE_FAILED"
  /** As many commands wait in the inbox of a task as may. Check that a worker runs, then send the command again. */
  | "INBOX_FULL"
  /** An option of `openPostgres` is invalid. The message names it. */
  | "DATABASE_OPTION"
  /** The package pg could not be loaded. Install it: `npm install pg`. */
  | "DATABASE_PACKAGE";

/** A database that can't be opened, migrated or used. */
export class PostgresError extends SignalboxError {
  readonly code: PostgresErrorCode;

  constructor(code: PostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PostgresError";
    this.code = code;
  }
}

/** SQLSTATE and system codes of connections that were not made, and what is wrong. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host name is unknown. Correct the host",
  EAI_AGAIN: "its host name could not be resolved. Correct the host, or check the name server",
  ECONNREFUSED: "no server listens there. Start the server, or correct host and port",
  ENOENT: "there is no such socket. Start the server, or correct the folder of its socket",
  EACCES: "its socket may not be opened. Correct the permissions of its folder",
  ETIMEDOUT: "the server did not respond in time. Check host, port and firewall",
  ECONNRESET: "the server closed the connection. Check that host and port belong to PostgreSQL",
  EHOSTUNREACH: "there is no route to its host. Correct the host, or check the network",
  "28P01": "the password is wrong. Correct the password",
  "28000": "the server does not accept this user from here. Correct the user, or the server's pg_hba.conf",
  "3D000": "the server has no such database. Create it, or correct its name",
  "53300": "the server has too many connections. Close some, or lower the pool's `max`",
  "57P03": "the server is starting or stopping. Try again",
};

/** SQLSTATE codes of missing rights. */
const DENIED = "42501";
/** SQLSTATE code of a write to a read-only server. */
const READ_ONLY = "25006";

/** Convert an error of opening a connection. `label`: the server without user and password. */
export function toConnectError(label: string, error: unknown): PostgresError {
  if (error instanceof PostgresError) return error;
  const code = systemCode(error);
  const detail = detailOf(error);
  const reason = UNREACHABLE[code] ?? unnamedReason(detail);
  return new PostgresError("DATABASE_UNREACHABLE", `Database ${label}: ${reason}. (${detail})`, {
    cause: error,
  });
}

/** The driver reports these without a code. */
function unnamedReason(detail: string): string {
  if (/timeout/i.test(detail)) return "the server did not respond in time. Check host, port and firewall";
  if (/password/i.test(detail)) return "the server wants a password. Add it to the URL, or set PGPASSWORD";
  return "no connection could be opened. Correct the URL, or check the server";
}

/** Convert an error of a statement. */
export function toStatementError(label: string, error: unknown): PostgresError {
  if (error instanceof PostgresError) return error;
  const detail = detailOf(error);
  const code = systemCode(error);
  const options = { cause: error };
  if (code === DENIED)
    return new PostgresError(
      "DATABASE_DENIED",
      `Database ${label}: the user lacks a right. Grant it, then try again. (${detail})`,
      options,
    );
  if (code === READ_ONLY) return new PostgresError("DATABASE_READ_ONLY", readOnlyProblem(label), options);
  return new PostgresError(
    "DATABASE_FAILED",
    `Database ${label}: a statement failed. Check the server, then try again. (${detail})`,
    options,
  );
}

export const readOnlyProblem = (label: string): string =>
  `Database ${label}: expected a server that can be written, found a replica or a read-only one. Connect to the primary.`;

/** A connection to several addresses fails with an error that has no text of its own. */
export function detailOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(detailOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

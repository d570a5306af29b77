import type { ServerResponse } from "node:http";
import { z } from "zod";
import { ServerError, type ServerErrorCode } from "../error.ts";
import type { Services } from "../services.ts";

/** The response of a route. */
export interface RouteResponse {
  readonly status: 200 | 201 | 204;
  readonly description: string;
  /** Absent if there is no body. For a stream: one of its events or lines. */
  readonly schema?: z.ZodType;
  /** Default `application/json`. */
  readonly type?: "text/event-stream" | "application/x-ndjson";
}

/** The parts of a request that the route's schemas don't cover. */
export interface RouteRequest {
  /** The header `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  /** For a stream: its route sends the response itself. */
  readonly response: ServerResponse;
  /** Add a header to the response. */
  header(name: string, value: string): void;
}

interface Spec<P extends z.ZodObject, B extends z.ZodType> {
  readonly method: "get" | "post" | "patch" | "delete";
  /** Parameters are in braces. */
  readonly path: string;
  /** Its operation id. */
  readonly name: string;
  readonly summary: string;
  /** Whether it is served without a token. */
  readonly isOpen?: true;
  /** Path and query parameters. */
  readonly params: P;
  readonly body: B;
  /** Given if a body is required. */
  readonly example?: z.input<B>;
  readonly answer: RouteResponse;
  /** The codes of its own errors. */
  readonly problems: readonly string[];
  /** Return the body of the response. */
  run(
    services: Services,
    request: RouteRequest & { readonly params: z.output<P>; readonly body: z.output<B> },
  ): Promise<unknown>;
}

/** A route that is served, validated and described from the same definition. */
export interface Route extends Omit<Spec<z.ZodObject, z.ZodType>, "run"> {
  serve(services: Services, request: RouteRequest, params: unknown, body: unknown): Promise<unknown>;
}

export const NO_PARAMS = z.object({});
/** Nothing, or an empty object. */
export const NO_BODY = z.strictObject({}).optional();

/** Create a route. Invalid parameters and bodies are rejected before it runs. */
export function route<P extends z.ZodObject, B extends z.ZodType>({ run, ...spec }: Spec<P, B>): Route {
  return {
    ...spec,
    async serve(services, request, params, body) {
      const validParams = validate(
        spec.params,
        params,
        "PARAMETER_INVALID",
        `the parameters of ${spec.path}`,
      );
      const validBody = validate(
        spec.body,
        body,
        "BODY_INVALID",
        `the body of ${spec.method.toUpperCase()} ${spec.path}`,
      );
      return run(services, { ...request, params: validParams, body: validBody });
    },
  };
}

function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  code: ServerErrorCode,
  what: string,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ServerError(
    code,
    `Expected ${what} to match their schema (GET /api/openapi.json). ${z.prettifyError(parsed.error)}`,
  );
}

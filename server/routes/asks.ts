import { answerSchema, proposalSchema } from "../../wire/http/api.ts";
import { askParams, route } from "./route.ts";

const REJECTIONS = ["ASK_UNKNOWN", "ANSWER_REFUSED", "ASK_ALREADY_ANSWERED", "ASK_CLOSED"];
const PROBLEMS = ["TASK_UNKNOWN", "TASK_CLOSED", ...REJECTIONS];

export const askRoutes = [
  route({
    method: "get",
    path: "/api/tasks/{taskId}/asks/{askId}/proposal",
    name: "getProposal",
    summary: "The part of the open ask that an approval can amend. The ask has its kind as `proposal`.",
    params: askParams,
    answer: { status: 200, description: "The proposal.", schema: proposalSchema },
    problems: ["TASK_UNKNOWN", "TASK_CLOSED", "ASK_UNKNOWN", "ANSWER_REFUSED"],
    run: ({ commands }, { params }) => commands.proposal(params.taskId, params.askId),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/asks/{askId}/answer",
    name: "answerAsk",
    summary:
      "Answers an open ask by its id. A yes can add one of its `rules`, or an `amendment` (docs/guide/answer-asks.md), and a text can select a `mode`. An answer to any other ask changes nothing.",
    params: askParams,
    body: answerSchema,
    example: { kind: "yes" },
    answer: { status: 204, description: "The answer is recorded." },
    problems: PROBLEMS,
    run: ({ commands }, { params, body }) => commands.answer(params.taskId, params.askId, body),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/asks/{askId}/proceed",
    name: "proceedCommand",
    summary: "Leaves a running command in the background.",
    params: askParams,
    answer: { status: 204, description: "The answer is recorded." },
    problems: PROBLEMS,
    run: ({ commands }, { params }) => commands.command(params.taskId, params.askId, "proceed"),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/asks/{askId}/abort",
    name: "abortCommand",
    summary: "Terminates a running command.",
    params: askParams,
    answer: { status: 204, description: "The answer is recorded." },
    problems: PROBLEMS,
    run: ({ commands }, { params }) => commands.command(params.taskId, params.askId, "abort"),
  }),
];

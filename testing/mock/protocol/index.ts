export { ApiError, errorBody, errorTypeOf, invalidRequest, statusOf } from "./api-error.ts";
export { betasOf, checkAccess, isLoopback, parseJson, readBody, requestBytesMax } from "./http.ts";
export { type MessagesRequest, type RequestMessage, readRequest } from "./request.ts";
export { validateRequest } from "./validation.ts";

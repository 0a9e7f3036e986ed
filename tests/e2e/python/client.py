"""Drives an agent with the Python SDK's client. Arguments: URL, binding. Prints what it saw, as one JSON object."""

import asyncio
import json
import sys
import uuid

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)


def request(text, task_id=''):
    message = Message(
        message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], task_id=task_id
    )
    return SendMessageRequest(message=message)


def told(event):
    """The kind of an event, and the state that it tells."""
    kind = event.WhichOneof('payload')
    payload = getattr(event, kind)
    return [kind, TaskState.Name(payload.status.state) if hasattr(payload, 'status') else None]


async def sent(client, text, task_id=''):
    return [event async for event in client.send_message(request(text, task_id))]


async def failure(work):
    try:
        await work
    except Exception as error:  # noqa: BLE001: whatever it is, the test says what it must be
        return [type(error).__name__, str(error)]
    return None


async def watch(client, seen):
    """Subscribes to a task that is being worked on, and cancels it."""
    stream = client.send_message(request('work'))
    first = await anext(stream)
    task_id = first.task.id
    subscription = client.subscribe(SubscribeToTaskRequest(id=task_id))
    seen['subscribed'] = [told(await anext(subscription))]
    await client.cancel_task(CancelTaskRequest(id=task_id))
    seen['subscribed'] += [told(event) async for event in subscription]
    seen['watched'] = [told(first)] + [told(event) async for event in stream]
    return task_id


async def main(url, binding):
    seen = {}
    async with httpx.AsyncClient(timeout=20) as http:
        config = ClientConfig(httpx_client=http, supported_protocol_bindings=[binding])
        client = await ClientFactory(config).create_from_url(url)
        events = await sent(client, 'stream 3')
        seen['streamed'] = [told(event) for event in events]
        task_id = events[0].task.id
        task = await client.get_task(GetTaskRequest(id=task_id))
        seen['got'] = [task.id == task_id, TaskState.Name(task.status.state), len(task.artifacts[0].parts)]
        page = await client.list_tasks(ListTasksRequest(page_size=1))
        seen['listed'] = len(page.tasks)
        canceled = await watch(client, seen)
        asked = await sent(client, 'ask')
        answered = await sent(client, 'forty-two', asked[0].task.id)
        seen['asked'] = [told(asked[-1]), told(answered[-1])]
        seen['errors'] = {
            'TaskNotFound': await failure(client.get_task(GetTaskRequest(id='none'))),
            'TaskNotCancelable': await failure(client.cancel_task(CancelTaskRequest(id=canceled))),
            'UnsupportedOperation': await failure(sent(client, 'refuse')),
            'TerminalTask': await failure(sent(client, 'more', canceled)),
            'Internal': await failure(sent(client, 'error internal')),
            'InvalidAgentResponse': await failure(sent(client, 'error junk')),
            'PanicInAStream': await failure(sent(client, 'panic late')),
        }
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))

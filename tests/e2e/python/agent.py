"""An agent made with the official Python SDK, on both bindings: the first words of a message say what it does.

Usage: agent.py PORT. Prints one line when it listens.
"""

import asyncio
import sys

import uvicorn
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryPushNotificationConfigStore, InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part, Task, TaskState, TaskStatus
from a2a.utils.errors import UnsupportedOperationError
from starlette.applications import Starlette


class Obedient(AgentExecutor):
    """Echoes, streams, waits, refuses or breaks."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        text = context.get_user_input()
        if text.startswith('refuse'):
            raise UnsupportedOperationError(message='The agent refuses this')
        if text.startswith('crash'):
            raise RuntimeError('database at postgres://agent:hunter2@db.internal is gone')
        submitted = TaskStatus(state=TaskState.TASK_STATE_SUBMITTED)
        task = context.current_task or Task(
            id=context.task_id, context_id=context.context_id, status=submitted, history=[context.message]
        )
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        if text.startswith('work'):
            await asyncio.sleep(30)
        pieces = ['a', 'b', 'c'] if text.startswith('stream') else [text]
        for index, piece in enumerate(pieces):
            await updater.add_artifact(
                [Part(text=piece)],
                artifact_id='echo',
                append=index > 0,
                last_chunk=index == len(pieces) - 1,
            )
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def main(port: int) -> None:
    url = f'http://127.0.0.1:{port}'
    card = AgentCard(
        name='Python echo',
        description='Echoes.',
        version='1.0.0',
        supported_interfaces=[
            AgentInterface(url=f'{url}/rpc', protocol_binding='JSONRPC', protocol_version='1.0'),
            AgentInterface(url=f'{url}/v1', protocol_binding='HTTP+JSON', protocol_version='1.0'),
        ],
        capabilities=AgentCapabilities(streaming=True, push_notifications=True),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[AgentSkill(id='echo', name='Echo', description='Echoes.', tags=['test'])],
    )
    handler = DefaultRequestHandler(
        agent_executor=Obedient(),
        task_store=InMemoryTaskStore(),
        agent_card=card,
        push_config_store=InMemoryPushNotificationConfigStore(),
    )
    routes = [
        *create_agent_card_routes(card),
        *create_jsonrpc_routes(handler, '/rpc'),
        *create_rest_routes(handler, path_prefix='/v1'),
    ]
    config = uvicorn.Config(Starlette(routes=routes), host='127.0.0.1', port=port, log_level='warning')
    server = uvicorn.Server(config)

    async def serve() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.02)
        print('listening', flush=True)
        await serving

    asyncio.run(serve())


if __name__ == '__main__':
    main(int(sys.argv[1]))

import { Type } from 'typebox';
import { IdSchema } from '../schemas.ts';
import { stepKind } from './kind.ts';

export const segment = stepKind({
  config: Type.Object({ action: Type.Enum(['add', 'remove']), listId: IdSchema }, { additionalProperties: false }),
  about: '`SEGMENT {action: add|remove, listId}` adds the contact to a list or removes it',
  summary: ({ action, listId }) => (action === 'add' ? `add to list ${listId}` : `remove from list ${listId}`),
  plan: ({ action, listId }) => ({ effect: 'membership', action, listId }),
  references: ({ listId }) => [{ kind: 'listIds', id: listId, path: '/listId' }],
});

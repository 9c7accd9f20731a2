import { expect, test } from 'vitest';

import { secretValues } from '../../commands/host/index.js';

const VALUE = 'hunter2-hunter2';

test.for([
  'GITHUB_TOKEN',
  'PGPASSWORD',
  'MYSQL_PWD',
  'REDIS_PWD',
  'APIKEY',
  'db_pass',
  'SSH_PASSPHRASE',
  'CLIENTSECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
])('the value of %s is masked (G33)', (name) => {
  expect(secretValues({ [name]: VALUE })).toEqual([VALUE]);
});

test.for(['PWD', 'OLDPWD', 'COMPASS', 'TOKENS', 'KEYBOARD', 'EDITOR'])('the value of %s is not', (name) => {
  expect(secretValues({ [name]: VALUE })).toEqual([]);
});

#!/bin/sh
# Makes the secrets that docker-compose.yml mounts, in secrets/. What is there already stays as it is.
set -eu
cd "$(dirname "$0")/.."
# Only the owner may enter the folder. The files themselves must be readable for the users of the containers.
mkdir -p secrets
chmod 700 secrets
umask 022

random() { LC_ALL=C tr -dc 'A-Za-z0-9' < /dev/urandom | head -c 40; }
keep() { [ -s "secrets/$1" ] || printf '%s\n' "$2" > "secrets/$1"; }

keep POSTGRES_PASSWORD "$(random)"
keep TEMPORAL_PASSWORD "$(random)"
keep DATABASE_MIGRATION_URL "postgres://perennial_owner:$(random)@postgres:5432/perennial"
keep DATABASE_URL "postgres://perennial_app:$(random)@postgres:5432/perennial"
keep JWT_SECRET "$(random)"
keep LINK_SECRET "$(random)"
keep METRICS_TOKEN "$(random)"
keep ADMIN_PASSWORD "$(random)-Aa1"
# Both sides of each login to NATS are made together.
if [ ! -s secrets/NATS_PASSWORDS ]; then
  service=$(random)
  listener=$(random)
  echo "nats://perennial:$service@nats:4222" > secrets/NATS_URL
  echo "nats://listener:$listener@127.0.0.1:4222" > secrets/LISTENER_URL
  printf 'NATS_PASSWORD: "%s"\nNATS_LISTENER_PASSWORD: "%s"\n' "$service" "$listener" > secrets/NATS_PASSWORDS
fi

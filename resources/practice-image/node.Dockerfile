# The practice stack for an engine whose machine differs from this one (another system or processor): the engine
# fetches node itself, so it needs the network once.
FROM node:22-bookworm-slim
COPY stack/ /opt/practice/
WORKDIR /opt/practice
LABEL slipway.image=practice
ENTRYPOINT []
CMD ["node", "main.mjs"]

import { useRef, useState } from 'preact/hooks';

import { fileURL } from '../../state/files.ts';
import { Icon } from '../parts/icon.tsx';

/** An audio player with a play button, a slider and the time. */
export function Player({ url, name }: { url: string; name: string }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const [{ position, duration }, setTime] = useState({ position: 0, duration: 0 });
  const updateTime = ({ currentTarget }: { currentTarget: HTMLAudioElement }) => {
    const { currentTime, duration: length } = currentTarget;
    setTime({ position: currentTime, duration: Number.isFinite(length) ? length : 0 });
  };
  const toggle = () => {
    const { current } = audio;
    if (isPlaying) current?.pause();
    else void current?.play().catch(() => setIsPlaying(false));
  };
  return (
    <div class="player">
      <audio
        ref={audio}
        src={fileURL(url)}
        preload="metadata"
        onPlay={() => setIsPlaying(true)}
        onPause={() => setIsPlaying(false)}
        onTimeUpdate={updateTime}
        onLoadedMetadata={updateTime}
      />
      <button
        type="button"
        class="round"
        aria-label={`${isPlaying ? 'Pause' : 'Play'}: ${name}`}
        onClick={toggle}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <input
        type="range"
        aria-label={`Position: ${name}`}
        min={0}
        max={duration || 1}
        step={0.01}
        value={position}
        style={{ '--done': `${duration > 0 ? (position / duration) * 100 : 0}%` }}
        onInput={({ currentTarget }) => {
          if (audio.current) audio.current.currentTime = Number(currentTarget.value);
        }}
      />
      <span class="player-time">
        {formatTime(position)} / {formatTime(duration)}
      </span>
    </div>
  );
}

function formatTime(seconds: number): string {
  const rounded = Math.round(seconds);
  return `${Math.floor(rounded / 60)}:${String(rounded % 60).padStart(2, '0')}`;
}
